// Months since year 0, split again with a non-negative remainder.
static int last_day(int year, int month) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int days[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1];
}

Date add_months(Date date, int months) {
    const int total = date.year * 12 + date.month - 1 + months;
    const int month = (total % 12 + 12) % 12;
    const int year = (total - month) / 12;
    const int last = last_day(year, month + 1);
    return {year, month + 1, date.day < last ? date.day : last};
}
