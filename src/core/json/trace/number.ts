import type { Wording } from './fault.js';

export type NumberRead =
  | { status: 'number'; to: number }
  | { status: 'cut-off' }
  /** `where` is `$.count`. */
  | { status: 'fault'; say(where: string): Wording };

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const GOES_ON = /[-+.\w$]/;
const TOKEN = /[-+.\w$]{1,40}/y;

/** Whether there is a number, and white space or the end behind it. */
export function isNumberAlone(text: string, from: number): boolean {
  NUMBER.lastIndex = from;
  return NUMBER.test(text) && /^\s?$/.test(text[NUMBER.lastIndex] ?? '');
}

/** Reads what begins like a number: with a digit, a sign or a point. */
export function readNumber(text: string, from: number): NumberRead {
  NUMBER.lastIndex = from;
  const number = NUMBER.test(text) ? text.slice(from, NUMBER.lastIndex) : '';
  const to = from + number.length;
  if (number !== '' && !GOES_ON.test(text[to] ?? '')) {
    return Number.isFinite(Number(number)) ? { status: 'number', to } : { status: 'fault', say: sayTooLarge };
  }
  TOKEN.lastIndex = to;
  const rest = TOKEN.exec(text)?.[0] ?? '';
  if (to + rest.length === text.length && isBegun(number, rest)) return { status: 'cut-off' };
  TOKEN.lastIndex = from;
  const token = TOKEN.exec(text)?.[0] ?? '';
  return { status: 'fault', say: (where) => sayMalformed(token, where) };
}

/** Whether a number could go on behind the rest: `-`, `1.`, `1e`, `1.5e-`. */
function isBegun(number: string, rest: string): boolean {
  if (number === '') return rest === '-';
  if (/[eE]/.test(number)) return false;
  return rest === '.' ? !number.includes('.') : /^[eE][+-]?$/.test(rest);
}

function sayTooLarge(where: string): Wording {
  return {
    message: `A number that is too large stands at ${where}.`,
    hint: 'Numbers go up to about 1.7e308. Write a smaller one, or put it in double quotes as a text.',
  };
}

/** What is wrong with it, for the sentence "The number 01 at $.count …", and what to write. */
const FORMS: readonly [form: RegExp, wrong: string, hint: string][] = [
  [/^\+/, 'has a plus sign', 'Leave out the plus sign.'],
  [/^-?\.[0-9]/, 'has no digit before its point', 'Write a 0 before the point.'],
  [/^-?0[xXbBoO]/, 'is not decimal', 'Write it in decimal digits, or in double quotes as a text.'],
  [/^-?[0-9]+_/, 'has an underscore', 'Leave out the underscores between the digits.'],
  [/^-?0[0-9]/, 'has a leading zero', 'Leave out the leading zero, or put it in double quotes as a text.'],
  [/^-?[0-9]+\.(?![0-9])/, 'has no digit behind its point', 'Leave out the point, or write a 0 behind it.'],
  [/^-?[0-9]+(?:\.[0-9]+)?[eE][-+]?(?![0-9])/, 'has no digit behind its e', 'Leave out the e.'],
];

function sayMalformed(token: string, where: string): Wording {
  if (token.startsWith('..'))
    return { message: `Dots stand at ${where} instead of a value.`, hint: 'Write everything out.' };
  if (/^[-+](?:inf|nan)/i.test(token))
    return { message: `The word ${token} stands at ${where}.`, hint: 'JSON has no such number: write null.' };
  if (/^-?\D*$/.test(token)) {
    const hint = 'Write a number behind it, or put all of it in double quotes as a text.';
    return { message: `The sign ${token} stands at ${where} without a number.`, hint };
  }
  const [, wrong, hint] = FORMS.find(([form]) => form.test(token)) ?? [
    undefined,
    'goes on with other characters',
    'Write the number alone, or put all of it in double quotes as a text.',
  ];
  return { message: `The number ${token} at ${where} ${wrong}.`, hint };
}
