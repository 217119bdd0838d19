import type { Finding, MaskPiece, Matcher } from './piece.js';
import { cutBeforeSentinel } from './sentinel.js';

/** Shorter ones would be found in plain text. */
export const SHORTEST_LITERAL = 6;
const SHORTEST_LINE = 16;
/** A longer value is looked for in parts, so that no stream has to hold back all of it. */
const LONGEST_LITERAL = 3072;

/** Known values, wherever they stand: as they are, and as JSON, addresses and base64 write them. */
export function makeLiteralMatchers(secrets: Iterable<string>): Matcher[] {
  const labels = new Map<string, string>();
  for (const secret of secrets) {
    for (const literal of splitLiteral(secret)) {
      for (const form of spell(literal)) {
        const written = cutBeforeSentinel(form);
        if (written.length >= SHORTEST_LITERAL && !labels.has(written)) labels.set(written, literal);
      }
    }
  }
  // The longest first: one value may begin like another.
  return [...labels]
    .sort(([a], [b]) => b.length - a.length)
    .map(([written, label]) => ({
      prefix: written,
      find: (_: MaskPiece, at: number): Finding => ({
        status: 'secret',
        start: at,
        end: at + written.length,
        label,
      }),
    }));
}

/** A value, and the lines of one that has several: commands print them one by one. */
function splitLiteral(secret: string): string[] {
  const whole = secret.trim();
  const lines = whole.split(/\r\n|\n|\r/).map((line) => line.trim());
  const long = lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
  return [whole, ...(lines.length > 1 ? long : [])].flatMap(cutLong);
}

function cutLong(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += LONGEST_LITERAL) parts.push(text.slice(at, at + LONGEST_LITERAL));
  return parts.filter(({ length }) => length >= SHORTEST_LITERAL);
}

function spell(literal: string): string[] {
  const json = JSON.stringify(literal).slice(1, -1);
  const ascii = json.replace(
    /[^\u0000-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const bytes = new TextEncoder().encode(literal);
  const forms = [literal, json, ascii, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)];
  for (const unescaped of ["-_.!~*'()", '-_.~', "-_.!~*'();/?:@&=+$,#"]) {
    const address = percentEncode(bytes, unescaped);
    forms.push(address, address.replaceAll('%20', '+'));
    forms.push(address.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  }
  for (const shift of [0, 1, 2]) {
    const base64 = encodeShifted(bytes, shift);
    forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'));
  }
  const base64 = encodeBase64(bytes);
  for (const form of [base64, base64.replaceAll('=', '')]) {
    forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

function percentEncode(bytes: Uint8Array, unescaped: string): string {
  let out = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9]/.test(character) || unescaped.includes(character);
    out += plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** The digits that are the same whatever goes before and after, when `shift` bytes of a group of three go before. */
function encodeShifted(bytes: Uint8Array, shift: number): string {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const first = Math.ceil((shift * 8) / 6);
  return encodeBase64(padded).slice(first, Math.floor((padded.length * 8) / 6));
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
