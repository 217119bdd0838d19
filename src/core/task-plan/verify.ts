import { readCodeSpan } from '../markdown/inline.js';
import { closes, contentText, readFence, splitLines } from '../markdown/lines.js';
import { shorten, wordPattern } from '../text.js';
import {
  isProgram,
  isProgramPath,
  isProseSentence,
  isStandaloneProgram,
  readCommandLines,
  tokenize,
} from './command-line.js';
import { itemContent } from './covers.js';
import { resolveEntities } from './tags.js';
import type { Verify } from './types.js';

/**
 * Parses `<verify>`. Commands come from `<automated>`, fences, code spans, `Run: …`, or text that consists of
 * commands; everything else is prose, which never runs and has a hint.
 */
export function readVerify(source: string): Verify {
  const automated = readAutomated(source);
  if (!automated) {
    const text = outdent(resolveEntities(source));
    return readText(text);
  }
  const commands = automated.parts.map((part) => asWritten(outdent(resolveEntities(part))));
  const isWhole = automated.isWhole && commands.length === 1;
  const text = outdent(resolveEntities(isWhole ? automated.parts[0]! : source));
  return commands.includes(undefined) ? prose(text, NOT_WRITTEN) : verify(text, commands as string[]);
}

function verify(text: string, commands: readonly string[]): Verify {
  return { text, command: commands.join('\n'), commands, hint: null };
}

function prose(text: string, hint: string): Verify {
  return { text, command: null, commands: [], hint };
}

const HOW = 'write <automated>the command</automated> in <verify>';
const NOT_WRITTEN = `It runs nothing. To verify the task, ${HOW}.`;
const NO_COMMAND = `It is read as prose, which never runs. To run a command, ${HOW}.`;

/** A placeholder for a command. */
const PLACEHOLDER = /^(?:MISSING|NONE|TBD|TODO|N\/A|MANUAL|SKIP)(?![\w./-])/i;

const HAS_WORD = wordPattern(String.raw`[\p{L}\p{N}[]`);

/** Comments and `:` succeed without doing anything. */
function runsSomething(command: string): boolean {
  if (PLACEHOLDER.test(command)) return false;
  return command.split('\n').some((line) => {
    const text = line.trim();
    return !/^(?:#|:(?:\s|$))/.test(text) && HAS_WORD(text).test(text);
  });
}

/** The content of each `<automated>`; one that is only mentioned, in a code span or without an end, does not count. */
function readAutomated(source: string): { parts: string[]; isWhole: boolean } | undefined {
  const parts: string[] = [];
  let rest = '';
  let from = 0;
  for (const { index, 0: open } of source.matchAll(/<automated(?:\s[^<>]*)?>/gi)) {
    if (index < from || source[index - 1] === '`') continue;
    const start = index + open.length;
    const close = /<\/automated\s*>/gi;
    close.lastIndex = start;
    const found = close.exec(source);
    if (!found && source.slice(source.lastIndexOf('\n', index) + 1, index).trim() !== '') break;
    rest += source.slice(from, index);
    parts.push(source.slice(start, found?.index ?? source.length));
    from = found ? close.lastIndex : source.length;
  }
  if (parts.length === 0) return undefined;
  return { parts, isWhole: (rest + source.slice(from)).trim() === '' };
}

/** An explicit command is used as written, unless it would run nothing. */
function asWritten(text: string): string | undefined {
  const command = (text.length <= LONGEST ? readWhole(text) : undefined) ?? dropPrompts(text) ?? text;
  return runsSomething(command) ? command : undefined;
}

/** No real text is longer, and the search in prose is quadratic in its length. */
const LONGEST = 10_000;

function readText(text: string): Verify {
  if (text.length > LONGEST) return prose(text, NO_COMMAND);
  const whole = readWhole(text);
  if (whole !== undefined) return runsSomething(whole) ? verify(text, [whole]) : prose(text, NOT_WRITTEN);
  if (PLACEHOLDER.test(text)) return prose(text, NOT_WRITTEN);
  const lines = readCommandLines(dropPrompts(dropMarkers(text)) ?? '');
  if (lines) return verify(text, lines);
  const pieces = splitPieces(text);
  const found = pieces.map(commandsIn);
  const all = found.flat();
  const isEach = found.every(({ length }) => length === 1);
  if (!isEach && all.every(({ isBare }) => isBare)) return prose(text, NO_COMMAND);
  if (all.length > 1 && !isEach)
    return prose(
      text,
      `It is prose that names ${all.length} commands. To run them, ${HOW}, one element each.`,
    );
  const refused = all.find(({ refusal }) => refusal !== undefined);
  return refused
    ? prose(text, refused.refusal!)
    : verify(
        text,
        all.map(({ command }) => command),
      );
}

/** The block or code span that a text consists of; empty if it is not a shell's. */
function readWhole(text: string): string | undefined {
  if (!/^[`~]/.test(text)) return undefined;
  const span = text.includes('\n') ? undefined : readCodeSpan(text);
  if (span !== undefined) return dropPrompts(span) ?? '';
  const [piece, more] = splitPieces(text);
  if (piece?.kind !== 'fence' || more) return undefined;
  return dropPrompts(piece.shell ?? '') ?? '';
}

type Piece = { kind: 'fence'; shell: string | undefined; language: string } | { kind: 'line'; text: string };

const SHELLS = new Set([
  'bash',
  'sh',
  'shell',
  'zsh',
  'console',
  'shell-session',
  'shellsession',
  'terminal',
]);

/** Fences, and lines that are not blank. `shell` is undefined if a fence contains something else. */
function splitPieces(text: string): Piece[] {
  const lines = splitLines(text);
  const pieces: Piece[] = [];
  for (let line = 0; line < lines.count; line++) {
    const opener = readFence(lines, line);
    let end = line + 1;
    while (opener && end < lines.count) {
      const mark = readFence(lines, end);
      if (mark && closes(mark, opener, mark.indent)) break;
      end++;
    }
    const inner = contentText(lines, line, line + 1).trim();
    if (!opener || end === lines.count) {
      if (inner !== '') pieces.push({ kind: 'line', text: inner });
      continue;
    }
    const language = opener.info.split(/[\s{]/, 1)[0]!.toLowerCase();
    const isShell = language === '' || SHELLS.has(language);
    const body = outdent(contentText(lines, line + 1, end));
    pieces.push({ kind: 'fence', shell: isShell ? body : undefined, language });
    line = end;
  }
  return pieces;
}

interface Found {
  command: string;
  /** It is a line without code marks: beside other lines of prose, that alone makes it no command. */
  isBare?: boolean;
  /** Why it is not run, as a hint; undefined if it can be. */
  refusal?: string | undefined;
}

/** The commands that a piece of prose has in code, after `Run:`, or as its whole line. */
function commandsIn(piece: Piece): Found[] {
  if (piece.kind === 'fence') {
    const command = dropPrompts(piece.shell ?? '') ?? '';
    const isCode = piece.language !== '' || isCommandInCode(command.split('\n', 1)[0]!, false);
    return isCode && runsSomething(command)
      ? [{ command, refusal: refusalOf(command, NEGATIVE.test(commentsOf(command))) }]
      : [];
  }
  const line = dropMarkers(piece.text);
  const [whole, more] = readCommandLines(line) ?? [];
  if (whole !== undefined && more === undefined) return [{ command: whole, isBare: true }];
  const parts = line.split('`');
  const said = parts.filter((_, i) => i % 2 === 0).join(' ');
  const bid = /^run:\s+([^`]+)$/i.exec(line)?.[1];
  if (bid !== undefined) return isCommandInCode(bid, true) && !isProseSentence(bid) ? [{ command: bid }] : [];
  if (parts.length % 2 === 0) return [];
  const mayFail = NEGATIVE.test(said.replace(FINE, ''));
  return parts.flatMap((code, i) => {
    const isRequested = /\b(?:run|running|execute)(?: the command)?:?\s*$/i.test(parts[i - 1] ?? '');
    const command = dropPrompts(code.trim()) ?? '';
    if (i % 2 === 0 || !isCommandInCode(command, isRequested)) return [];
    return [{ command, refusal: refusalOf(command, mayFail) }];
  });
}

/** Placeholders: `<file>`, `{name}`, `...`. */
const VARIABLE_PART = /<[a-z][\w -]*>|(?<!\$)\{[\w-]+\}|\u2026|(?<![./])\.\.\.(?!\w)/;
const LEADING = /^(?:(?:!|[A-Za-z_]\w*=\S*|cd \S+ &&)\s+)*/;

/** Whether a text in code is a command, not a name or a path. `isRequested`: the words before it ask to run it. */
function isCommandInCode(code: string, isRequested: boolean): boolean {
  const plain = blankQuotes(code).replace(LEADING, '');
  const [program = '', ...args] = plain.split(/\s+/);
  if (VARIABLE_PART.test(plain) || /(?<!\/)(?:\.\.\.|\u2026)["']/.test(code)) return false;
  if (PLACEHOLDER.test(code) || !tokenize(code)) return false;
  if (isProgram(program))
    return args.length > 0 || (isStandaloneProgram(program) && (isRequested || !isProgramPath(program)));
  return isRequested && /^[\w./-]+$/.test(program) && /\s(?:--?[A-Za-z]|""|\S*[./])/.test(plain);
}

function blankQuotes(code: string): string {
  return code.replace(/"[^"]*"|'[^']*'/g, '""');
}

/** What may be negated without meaning that the command fails. */
const FINE =
  /\b(?:no|zero|0|without(?: any)?|any) (?:[\w-]+ ){0,3}?(?:errors?|warnings?|failures?|regressions?|issues?|problems?)\b|\b(?:exits?|status|code)(?: with)?(?: code| status)? (?:0|zero)\b/gi;
const NEGATIVE =
  /\b(?:no|not|never|nothing|none|zero|0|without|fail\w*|empty|removed|deleted|gone|absent|missing|errors?|[45]\d\d)\b|n't\b/i;
/** Does not end by itself, or changes more than a check may. */
const NO_CHECK =
  /(?:^|\s)(?:dev|start|serve|preview|watch|--watch|runserver|storybook|studio|daemon|add|publish|deploy|push|pull|reset|commit)(?:\s|$)|(?:^|[&|;] *)(?:rm|mv|cp|git (?:reset|checkout|clean|rebase|merge|tag))\s/;

/** Why a command in prose is not run: the words around it expect it to fail, or it is not a check. */
function refusalOf(command: string, mayFail: boolean): string | undefined {
  const shown = JSON.stringify(shorten(command.split('\n', 1)[0]!, 60));
  if (NO_CHECK.test(blankQuotes(command)))
    return `${shown} does not end by itself or changes something, so it is not run from prose. To run a check, ${HOW}.`;
  if (mayFail)
    return `The words around ${shown} may mean that it must fail. To run it, ${HOW}; put "! " before it if it must fail.`;
  return undefined;
}

function commentsOf(command: string): string {
  return command.replace(/^[^#\n]*/gm, '');
}

const PROMPT = '$ ';

/** `$ npm test`: the prompt is not part of the command. With output among the lines it is not a command at all. */
function dropPrompts(body: string): string | undefined {
  const lines = body.split('\n');
  if (!lines.some((line) => line.startsWith(PROMPT))) return body;
  if (!lines.every((line) => line === '' || line.startsWith(PROMPT))) return undefined;
  return lines.map((line) => line.slice(PROMPT.length)).join('\n');
}

/** Without the bullets and numbers of a list. */
function dropMarkers(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const ink = line.length - line.trimStart().length;
      const content = itemContent(line, ink, line.length);
      return content === undefined ? line : line.slice(content);
    })
    .join('\n');
}

/** Without the blank lines around it and the white space that all lines start with. */
function outdent(text: string): string {
  if (!text.includes('\n')) return text.trim();
  const lines = text
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
  const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const least = indents.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(least)).join('\n');
}
