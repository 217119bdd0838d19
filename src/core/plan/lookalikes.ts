import { codePointName, shorten } from '../text.js';
import { decisiveTexts } from './actions.js';
import type { Action } from './types.js';

const SCRIPTS = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
  Armenian: /\p{Script=Armenian}/u,
  Cherokee: /\p{Script=Cherokee}/u,
  Coptic: /\p{Script=Coptic}/u,
  Georgian: /\p{Script=Georgian}/u,
  Lisu: /\p{Script=Lisu}/u,
  Hebrew: /\p{Script=Hebrew}/u,
  Arabic: /\p{Script=Arabic}/u,
};

/** Letters that many fonts draw like Latin ones: a word of nothing else passes for Latin. */
const TWINS =
  /^[аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЅЈԚԜαβγικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօѵոսցհյƽᴏꓐꓑꓒꓖꓗꓘꓙꓚꓛꓜꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓮꓯꓰꓲꓳꓴꓵ]+$/u;

/** The blocks that Unicode reserves for right-to-left scripts, those to come included. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]+/u;

/** Signs that pass for those which a path or a shell gives a meaning to. */
const SIGNS: Record<string, string> = {
  '\u2044': 'a slash',
  '\u2215': 'a slash',
  '\u29F8': 'a slash',
  '\u29F5': 'a backslash',
  '\u2216': 'a backslash',
  '\u2010': 'a hyphen',
  '\u2011': 'a hyphen',
  '\u2012': 'a hyphen',
  '\u2013': 'a hyphen',
  '\u2014': 'a hyphen',
  '\u2212': 'a hyphen',
  '\u2018': 'a quote',
  '\u2019': 'a quote',
  '\u201C': 'a quote',
  '\u201D': 'a quote',
  '\u02BC': 'a quote',
  '\u037E': 'a semicolon',
  '\uA789': 'a colon',
  '\u2236': 'a colon',
  '\u01C0': 'a pipe',
  '\u2223': 'a pipe',
  '\u2219': 'a dot',
  '\u0701': 'a dot',
};

/** What could pass for something else in the words that decide where an action acts: a sentence each. */
export function findLookalikes(action: Action): string[] {
  const found = new Set<string>();
  for (const text of decisiveTexts(action)) {
    for (const sentence of describeLookalikes(text)) found.add(sentence);
  }
  return [...found];
}

/** The same for one text, such as a command. */
export function describeLookalikes(text: string): string[] {
  if (/^[\t\n -~]*$/.test(text)) return [];
  const sentences: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (/[^ -~]/.test(word)) sentences.push(...judgeWord(word));
  }
  const [run] = RIGHT_TO_LEFT.exec(text) ?? [];
  if (run !== undefined)
    sentences.push(
      `${quote(run)} is written from right to left: its order on screen may not be the real one`,
    );
  const signs = new Set([...text].filter((sign) => /[^\t\n -~]/.test(sign)));
  for (const sign of signs) {
    const twin = passesFor(sign);
    if (twin !== undefined) sentences.push(`${codePointName(sign)} looks like ${twin} but is not`);
  }
  return sentences;
}

function judgeWord(word: string): string[] {
  const scripts = Object.entries(SCRIPTS).filter(([, letters]) => letters.test(word));
  const names = scripts.map(([name]) => name);
  if (names.length > 1) {
    const main = names.includes('Latin') ? 'Latin' : names[0]!;
    const odd = [...new Set(word)]
      .map((letter) => ({ letter, script: names.find((name) => name !== main && isOf(letter, name)) }))
      .filter(({ script }) => script !== undefined)
      .map(({ letter, script }) => `${letter} ${codePointName(letter)} ${script}`);
    return [`mixed alphabets in ${quote(word)}: ${odd.slice(0, 6).join(', ')}, among ${main} letters`];
  }
  if (names.length === 1 && TWINS.test(word)) {
    return [`${quote(word)} looks like Latin letters but is ${names[0]} (${codePointName(word)} …)`];
  }
  return [];
}

function isOf(letter: string, script: string): boolean {
  return SCRIPTS[script as keyof typeof SCRIPTS].test(letter);
}

function passesFor(sign: string): string | undefined {
  if (SIGNS[sign] !== undefined) return SIGNS[sign];
  if (/\p{Zs}/u.test(sign)) return 'a space';
  const plain = sign.normalize('NFKC');
  return /^[!-~]$/.test(plain) ? plain : undefined;
}

function quote(word: string): string {
  return `"${shorten(word, 24)}"`;
}
