// Length of a month, leap years included.
int days_in_month(int year, int month);

Date add_months(Date date, int months) {
    const int total = date.year * 12 + date.month - 1 + months;
    const int year = total / 12;
    const int month = total % 12 + 1;
    const int last = days_in_month(year, month);
    return {year, month, date.day > last ? last : date.day};
}
