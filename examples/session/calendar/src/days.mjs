const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How many days a month has; months count from 1. */
export function daysIn(year, month) {
  return month === 2 && isLeap(year) ? 29 : LENGTHS[month - 1];
}

function isLeap(year) {
  return year % 4 === 0;
}
