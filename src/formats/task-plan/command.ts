import { closes, contentText, readCodeSpan, readFence, splitLines } from '../markdown/index.js';
import { itemContent } from './marks.js';
import { isProgram } from './programs.js';
import { Nesting, readsAsCommand, setsOnly } from './shell-grammar.js';
import { readSpokenCommand } from './spoken-command.js';
import { resolveEntities } from './text.js';
import type { Verify } from './types.js';
import { splitWords } from './words.js';

/** Stands where a command is still to be written. */
const PLACEHOLDER = /^(?:MISSING|NONE|TBD|TODO|N\/A|MANUAL|SKIP)(?![\w./-])/i;

/** What `<verify>` holds. Nothing is run by guess: in doubt it is prose, and the command is null. */
export function readVerify(source: string): Verify {
  const automated = readAutomated(source);
  if (automated === undefined) {
    const text = outdent(resolveEntities(source));
    return verifyOf(text, commandsOf(text));
  }
  const commands = automated.parts.map((part) => plainCommand(outdent(resolveEntities(part))));
  const isWhole = automated.isWhole && automated.parts.length === 1;
  const text = outdent(resolveEntities(isWhole ? automated.parts[0]! : source));
  return verifyOf(text, commands);
}

/** All of it are commands, or it is prose. */
function verifyOf(text: string, found: readonly (string | null)[]): Verify {
  const commands = found.filter((command): command is string => command !== null && runsSomething(command));
  const isProse = commands.length === 0 || commands.length < found.length;
  if (isProse) return { text, command: null, commands: [] };
  return { text, command: commands.join('\n'), commands };
}

/** Comments and `:` succeed without doing anything. */
function runsSomething(command: string): boolean {
  return command.split('\n').some((line) => {
    const text = line.trim();
    return !/^(?:#|:(?:\s|$))/.test(text) && /[\p{L}\p{N}[]/u.test(text);
  });
}

/** The content of each `<automated>`; one that is only spoken of, in a code span or without an end, is none. */
function readAutomated(source: string): { parts: string[]; isWhole: boolean } | undefined {
  if (!source.includes('<')) return undefined;
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

/** What is said to be a command: taken at its word, unless it is a placeholder. */
function plainCommand(text: string): string | null {
  if (text === '' || PLACEHOLDER.test(text)) return null;
  const block = fencedCommand(text);
  if (block !== undefined) return block;
  const span = text.includes('\n') ? undefined : readCodeSpan(text);
  return dropPrompts(span ?? text) ?? text;
}

function commandsOf(text: string): (string | null)[] {
  if (text === '' || PLACEHOLDER.test(text)) return [];
  const block = fencedCommand(text);
  if (block !== undefined) return [block];
  if (!text.includes('\n')) {
    const span = readCodeSpan(text);
    if (span !== undefined) return span === '' || PLACEHOLDER.test(span) ? [] : [dropPrompt(span)];
  }
  return commandLines(text.split('\n'));
}

const SHELLS = new Set([
  '',
  'bash',
  'sh',
  'shell',
  'zsh',
  'console',
  'shell-session',
  'shellsession',
  'terminal',
]);

/** The block that a text consists of; null where it is no shell's; undefined where the text is something else. */
function fencedCommand(text: string): string | null | undefined {
  if (text[0] !== '`' && text[0] !== '~') return undefined;
  const lines = splitLines(text);
  const opener = readFence(lines, 0);
  if (!opener) return undefined;
  for (let line = 1; line < lines.count; line++) {
    const mark = readFence(lines, line);
    if (!mark || !closes(mark, opener, mark.indent)) continue;
    if (line !== lines.count - 1) return undefined;
    const language = opener.info.split(/[\s{]/, 1)[0]!.toLowerCase();
    const body = outdent(contentText(lines, 1, line));
    if (!SHELLS.has(language) || body === '' || PLACEHOLDER.test(body)) return null;
    return dropPrompts(body);
  }
  return undefined;
}

const PROMPT = '$ ';

/** `$ npm test`: the prompt is no part of the command. With output among the lines it is no command at all. */
function dropPrompts(body: string): string | null {
  const lines = body.split('\n');
  if (!lines.some((line) => line.startsWith(PROMPT))) return body;
  if (!lines.every((line) => line === '' || line.startsWith(PROMPT))) return null;
  return lines.map((line) => line.slice(PROMPT.length)).join('\n');
}

function dropPrompt(line: string): string {
  return line.startsWith(PROMPT) ? line.slice(PROMPT.length).trim() : line;
}

/** Lines that change what those behind them find. */
const LASTING = /^(?:cd|export|set|source|\.)\s[^&|;]*$|^[A-Za-z_]\w*=(?:\S*|"?\$\(.*\)"?)$/;

const CONTINUING = /(?:&&|\||\|&)$/;

/** Lines of which each is a command, or goes on with one; none where there is anything else. */
function commandLines(source: readonly string[]): string[] {
  const commands: string[] = [];
  const nesting = new Nesting();
  let open = '';
  let prompts = 0;
  let settings = 0;
  for (const line of source) {
    const text = line.trim();
    if (text === '') continue;
    let added = line.trimEnd();
    if (open !== '') {
      open += `\n${added}`;
    } else {
      if (text.startsWith('#')) continue;
      const content = itemContent(text, 0, text.length);
      const plain = content === undefined ? text : text.slice(content);
      const spoken = readSpokenCommand(plain);
      if (spoken !== undefined) {
        commands.push(spoken);
        continue;
      }
      if (plain.startsWith(PROMPT)) prompts++;
      const command = readLine(plain);
      if (command === undefined) return [];
      open = added = command;
    }
    // What is left of the end of the line: nothing, where a backslash takes it away.
    const words = splitWords(`${added}\n`);
    const isEnded = words ? words.at(-1)?.text === '\n' && words.pop() : !added.endsWith('\\');
    if (words) nesting.add(words);
    if (!isEnded || nesting.isOpen || CONTINUING.test(words?.at(-1)?.text ?? added)) continue;
    if (words && open === added && setsOnly(words)) settings++;
    else if (!readsAsCommand(open, open === added ? words : splitWords(open))) return [];
    commands.push(open);
    open = '';
  }
  if (open !== '' || settings === commands.length || (prompts > 0 && prompts < commands.length)) return [];
  return commands.some((command) => LASTING.test(command)) ? [commands.join('\n')] : commands;
}

/** What a line has of a command; undefined where it is a code span that is none. */
function readLine(line: string): string | undefined {
  const span = readCodeSpan(line);
  if (span === undefined) return dropPrompt(line);
  const command = dropPrompt(span);
  return isProgram(firstWord(command)) || readsAsCommand(command) ? command : undefined;
}

function firstWord(text: string): string {
  return text.split(/\s/, 1)[0]!;
}

/** Without the blank lines around it and the white space that all lines begin with. */
function outdent(text: string): string {
  if (!text.includes('\n')) return text.trim();
  const lines = text.split('\n').map((line) => line.trimEnd());
  lines.splice(
    0,
    Math.max(
      0,
      lines.findIndex((line) => line !== ''),
    ),
  );
  while (lines.at(-1) === '') lines.pop();
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (line !== '') least = Math.min(least, line.length - line.trimStart().length);
  }
  return lines.map((line) => line.slice(least)).join('\n');
}
