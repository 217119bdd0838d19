/**
 * A command as a deny rule looks at it. No shell is imitated: the text is taken apart at everything that may end a
 * command, in two ways that disagree about quotes, so that what is hidden from one is seen by the other.
 */
export interface ShellViews {
  /** The text on one line, in lower case, with spaces around every operator. */
  raw: string;
  /** Each line as it stands, in lower case. */
  lines: string[];
  /** The words of whatever could be a command. */
  commands: string[][];
  /** The text in each way that it can be read. */
  readings: { whole: string[]; withoutRedirections: string[] };
}

/** A command behind the operator that joins it to the one before, which is empty at the beginning. */
interface Link {
  operator: string;
  words: string[];
}

export type Chain = Link[];

const LONGEST_VALUE = 100;

export function viewCommand(command: string, env: Readonly<Record<string, string>> = {}): ShellViews {
  const text = unhide(command);
  const decoded = decodeEscapes(text);
  const bare = removeQuotes(decoded);
  const joined = substitute(bare, env);
  const apart = substitute(decoded.replace(/['"\\{},[\]=!]/g, ' '), env);
  const whole = [...new Set([joined, apart, nameVariables(bare)])];
  const withoutRedirections = whole.map(removeRedirections);
  const commands = [...withoutRedirections, apart].flatMap(splitCommands);
  return {
    raw: spaceOperators(text),
    lines: text.split('\n').map(collapse),
    commands: [...new Set(commands)].map((each) => each.split(' ')),
    readings: { whole, withoutRedirections },
  };
}

/** A newline behind an operator only goes on with the line. */
const OPERATOR = /(\$\(|&&|\|\||\|&|&>{1,2}|>[>|&]?|<{1,3}|[;&|()`\n])[\s]*/;

/** A text without quotes, taken apart at every operator; those that mean the same are written in one way. */
export function readChain(text: string): Chain {
  const [first = '', ...others] = text.split(OPERATOR);
  const chain: Chain = [{ operator: '', words: splitWords(first) }];
  for (let at = 0; at < others.length; at += 2) {
    const operator = others[at]!;
    chain.push({ operator: SAME[operator] ?? operator, words: splitWords(others[at + 1] ?? '') });
  }
  return chain;
}

const SAME: Readonly<Record<string, string>> = {
  '\n': ';',
  '`': '$(',
  '|&': '|',
  '>>': '>',
  '>|': '>',
  '>&': '>',
  '&>': '>',
  '&>>': '>',
};

function splitWords(text: string): string[] {
  const words = collapse(text);
  return words === '' ? [] : words.split(' ');
}

/** A variable by its name, however it is written: `${home}`, `$home`. */
export function nameVariables(text: string): string {
  return text.replace(/\$\{([a-z_]\w{0,60})\}/g, '$$$1');
}

/** The pattern of a deny rule, read like the text that it is compared with. */
export function unhide(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\\\n/g, '')
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}|\0/gu, '')
    .replace(/[\r\u2028\u2029\u0085]/g, '\n')
    .replace(/[\p{Zs}\t\v\f]/gu, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '')
    .toLowerCase();
}

export function removeQuotes(text: string): string {
  return text.replace(/\$(?=['"])/g, '').replace(/['"\\]/g, '');
}

export function spaceOperators(text: string): string {
  return collapse(text.replace(/&&|\|\||[;&|<>()`\n]/g, ' $& '));
}

export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `\x72`, `\162`, `\u0072`, as $'…', printf and echo have them. */
function decodeEscapes(text: string): string {
  return text
    .replace(/\\x\{?([0-9a-f]{1,2})\}?|\\u([0-9a-f]{1,4})/g, (_, byte?: string, unit?: string) =>
      String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)),
    )
    .replace(/\\0?([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .toLowerCase();
}

/** Variables become what the text or the plan gives them, and nothing where neither does. */
function substitute(text: string, env: Readonly<Record<string, string>>): string {
  const values = new Map<string, string>();
  const keep = (name: string, value: string) => {
    if (value.length <= LONGEST_VALUE) values.set(name, value);
  };
  for (const [name, value] of Object.entries(env)) keep(name.toLowerCase(), removeQuotes(unhide(value)));
  for (const [, name, value] of text.matchAll(/\b([a-z_]\w{0,60})\+?=([^\s;&|()<>`]{0,100})/g)) {
    keep(name!, value!);
  }
  values.set('ifs', ' ');
  const lookUp = (name: string) => values.get(name) ?? '';
  return text
    .replace(/\$\(\s{0,20}\)|``|\$[@*#?!$0-9_-](?!\w)|\$[0-9@*]/g, '')
    .replace(/\$\{[!#]?\w{1,60}:?[-=+?]/g, '')
    .replace(/\$\{([a-z_]\w{0,60})[^}\n]{0,100}\}/g, (_, name: string) => lookUp(name))
    .replace(/\$([a-z_]\w{0,60})/g, (_, name: string) => lookUp(name))
    .replace(/\$\{[^}\n]{0,100}\}/g, '')
    .replace(/[{}]/g, '');
}

function removeRedirections(text: string): string {
  return text.replace(/\d?[<>]{1,3}[&|-]?[ ]{0,20}[^\s;&|()<>`]{0,200}/g, ' ');
}

function splitCommands(text: string): string[] {
  return text
    .split(/[;&|<>()`\n]/)
    .map((part) => collapse(part.replace(/\$(?![a-z_])/g, ' ')))
    .filter((part) => part !== '');
}
