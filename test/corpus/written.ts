import { dropNewline, type Reading } from './reading.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * Whether a text says what the reading says without any defect but short fences: every block stands there
 * line by line between an opening and a closing fence of its own, and no other fence is left.
 */
export function isWrittenOut(text: string, { rationale, memos, actions }: Reading): boolean {
  const lines = text.split(/\r?\n/);
  let at = 0;

  const skipBlock = (content: string): boolean => {
    while (at < lines.length && !FENCE.test(lines[at]!)) at++;
    const fence = lines[at++]?.match(FENCE)?.[1];
    if (fence === undefined || !skipLines(content)) return false;
    const [, closing = '', rest = ''] = lines[at++]?.match(FENCE) ?? [];
    return closing.startsWith(fence) && rest.trim() === '';
  };
  const skipLines = (content: string): boolean => {
    const wanted = content === '' ? [] : content.split('\n');
    const there = wanted.every((line, i) => lines[at + i] === line);
    at += wanted.length;
    return there;
  };
  const skipMessage = (message: string): boolean => {
    const first = message.split('\n')[0];
    while (at < lines.length && lines[at] !== first) at++;
    return skipLines(message);
  };

  if (!skipBlock(rationale)) return false;
  if (memos.length > 0 && !skipBlock(memos.join('\n'))) return false;
  for (const { type, texts } of actions) {
    const skip = /^(CHAT_WITH_USER|INVOKE|CONCLUDE)$/.test(type) ? skipMessage : skipBlock;
    const isFile = type === 'CREATE' || type === 'EXECUTE';
    if (!texts.every((content) => skip(isFile ? dropNewline(content) : content))) return false;
  }
  return !lines.slice(at).some((line) => FENCE.test(line));
}
