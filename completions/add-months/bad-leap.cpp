// Clamp the day to the length of the new month; every fourth year has 29 days in February.
Date add_months(Date date, int months) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int total = date.year * 12 + date.month - 1 + months;
    const int year = total / 12;
    const int month = total % 12;
    int last = days[month];
    if (month == 1 && year % 4 == 0) {
        last = 29;
    }
    return {year, month + 1, date.day > last ? last : date.day};
}
