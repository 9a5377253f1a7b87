/** Days and times that a person wrote, in the forms people write them in. */

export interface Moments {
  /** As "2026-06-13". */
  readonly days: ReadonlySet<string>;
  /** Days without a year, as "06-13". */
  readonly yearless: ReadonlySet<string>;
  /** As "2026". */
  readonly years: ReadonlySet<string>;
  /** As "14:30". */
  readonly times: ReadonlySet<string>;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(\\d{4})";

const ISO_DAY = /(?<![\p{L}\p{N}_./-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\p{N}_/]|[.-][\p{L}\p{N}])/gu;
/** "June 13th, 2026". */
const MONTH_FIRST = new RegExp(`(?<![\\p{L}\\p{N}_-])${MONTH} ${DAY},? ${YEAR}(?![\\p{L}\\p{N}_-])`, "gu");
/** "13 June 2026", "the 13th of June, 2026". */
const DAY_FIRST = new RegExp(
  `(?<![\\p{L}\\p{N}_.,:-])${DAY} (?:of )?${MONTH},? ${YEAR}(?![\\p{L}\\p{N}_-])`,
  "gu",
);
/** "3 to 6 November 2026", "June 13-15": one month for two days. */
const BETWEEN = " ?(?:to|until|till|and|-|–) ?";
const DAYS_FIRST = new RegExp(
  `(?<![\\p{L}\\p{N}_.,:-])${DAY}${BETWEEN}(?:the )?${DAY} (?:of )?${MONTH}(?:,? ${YEAR})?(?![\\p{L}\\p{N}_-])`,
  "gu",
);
const DAYS_LAST = new RegExp(
  `(?<![\\p{L}\\p{N}_-])${MONTH} ${DAY}${BETWEEN}(?:the )?${DAY}(?:,? ${YEAR})?(?![\\p{L}\\p{N}_:-])`,
  "gu",
);
const YEARLESS_MONTH_FIRST = new RegExp(
  `(?<![\\p{L}\\p{N}_-])${MONTH} ${DAY}(?!,? \\d{4})(?![\\p{L}\\p{N}_:-])`,
  "gu",
);
const YEARLESS_DAY_FIRST = new RegExp(
  `(?<![\\p{L}\\p{N}_.,:-])${DAY} (?:of )?${MONTH}(?!,? \\d{4})(?![\\p{L}\\p{N}_-])`,
  "gu",
);
const YEAR_ALONE = /(?<![\p{L}\p{N}_.,:/-])((?:19|20)\d\d)(?![\p{L}\p{N}_:/]|[.,-]\d)/gu;
const CLOCK =
  /(?<![\p{L}\p{N}_.,:/-])(\d{1,2})(?::(\d{2})(?::00)?)?(?: ?(am|pm))?(?![\p{L}\p{N}_:/]|[.,-]\d)/gu;

/** `folded` is in lower case, with single spaces. */
export function momentsIn(folded: string): Moments {
  const [days, yearless, years] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const add = (year = "", month = "", day = "") => {
    const number = /^\d+$/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3)) + 1;
    const short = `${two(number)}-${two(Number(day))}`;
    if (year === "") yearless.add(short);
    else {
      days.add(`${year}-${short}`);
      years.add(year);
    }
  };
  for (const [, year, month, day] of folded.matchAll(ISO_DAY)) add(year, month, day);
  for (const [, month, day, year] of folded.matchAll(MONTH_FIRST)) add(year, month, day);
  for (const [, day, month, year] of folded.matchAll(DAY_FIRST)) add(year, month, day);
  for (const [, first, last, month, year] of folded.matchAll(DAYS_FIRST))
    for (const day of [first, last]) add(year, month, day);
  for (const [, month, first, last, year] of folded.matchAll(DAYS_LAST))
    for (const day of [first, last]) add(year, month, day);
  for (const [, month, day] of folded.matchAll(YEARLESS_MONTH_FIRST)) add("", month, day);
  for (const [, day, month] of folded.matchAll(YEARLESS_DAY_FIRST)) add("", month, day);
  for (const [, year = ""] of folded.matchAll(YEAR_ALONE)) years.add(year);
  return { days, yearless, years, times: timesIn(folded) };
}

function timesIn(folded: string): Set<string> {
  const times = new Set<string>();
  for (const [, hour, minute, half] of folded.matchAll(CLOCK)) {
    if (minute === undefined && half === undefined) continue;
    const twelve = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === "pm" ? 12 : 0);
    times.add(`${two(twelve)}:${minute ?? "00"}`);
  }
  if (/(?<![\p{L}\p{N}_-])noon(?![\p{L}\p{N}_-])/u.test(folded)) times.add("12:00");
  return times;
}

const two = (number: number) => String(number).padStart(2, "0");

const VALUE = /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2})(?::00(?:\.0+)?)?z?)?$/;

/** Whether a value is a day, or a day with a time. */
export function isMoment(folded: string): boolean {
  return VALUE.test(folded) || /^\d{1,2}:\d{2}(?::\d{2})?$/.test(folded);
}

/** The year of a value that is a day and nothing else. */
export function yearOf(folded: string): string | undefined {
  return VALUE.test(folded) ? folded.slice(0, 4) : undefined;
}

/** Whether a value is a day, or a day with a time, that was written in some form. A day without a year is one of these years. */
export function isAmong(
  folded: string,
  { days, yearless, times }: Moments,
  years: ReadonlySet<string>,
): boolean {
  const [, day, time] = VALUE.exec(folded) ?? [];
  if (day === undefined || (time !== undefined && !times.has(time))) return false;
  return days.has(day) || (yearless.has(day.slice(5)) && years.has(day.slice(0, 4)));
}

const NEAR_MONTH_BEFORE = new RegExp(`(?<![\\p{L}\\p{N}_-])${MONTH} $`, "u");
const NEAR_MONTH_AFTER = new RegExp(`^,? (?:of )?${MONTH}(?![\\p{L}\\p{N}_-])`, "u");
const YEAR_OF_DAY = new RegExp(`${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? $`, "u");

/** Whether a number with this before and behind it is part of a day: the 13 of "June 13". */
export function isOfDay(before: string, after: string): boolean {
  return NEAR_MONTH_BEFORE.test(before) || NEAR_MONTH_AFTER.test(after) || YEAR_OF_DAY.test(before);
}
