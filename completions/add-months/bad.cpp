// Carry whole years out of the month.
Date add_months(Date date, int months) {
    date.month += months;
    while (date.month > 12) {
        date.month -= 12;
        ++date.year;
    }
    while (date.month < 1) {
        date.month += 12;
        --date.year;
    }
    return date;
}
