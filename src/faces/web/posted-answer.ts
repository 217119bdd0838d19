import { isJsonObject } from '../../core/json/values.js';
import type { LineComment, PostedAnswer } from './api.js';
import { ApiProblem, readObject, requireText } from './requests.js';

const KEYS = ['hash', 'decision', 'reason', 'text', 'edits', 'comments', 'keep', 'dropReasons'];
const DECISIONS = ['approve', 'skip', 'rest', 'quit', 'edit', 'reply'] as const;
const MOST_ITEMS = 10_000;

export async function readPostedAnswer(request: Request): Promise<PostedAnswer> {
  const body = await readObject(request, KEYS);
  const decision = DECISIONS.find((known) => known === body.decision);
  if (decision === undefined) throw new ApiProblem(400, `decision must be one of ${DECISIONS.join(', ')}.`);
  return {
    hash: requireText(body, 'hash'),
    decision,
    ...(body.reason === undefined ? {} : { reason: requireText(body, 'reason') }),
    ...(body.text === undefined ? {} : { text: requireText(body, 'text') }),
    ...(body.edits === undefined ? {} : { edits: readEdits(body.edits) }),
    ...(body.comments === undefined ? {} : { comments: readList(body.comments, readComment) }),
    ...(body.keep === undefined ? {} : { keep: readList(body.keep, readHunkId) }),
    ...(body.dropReasons === undefined ? {} : { dropReasons: readReasons(body.dropReasons) }),
  };
}

function readEdits(value: unknown): 'action' | 'result' {
  if (value === 'action' || value === 'result') return value;
  throw new ApiProblem(400, 'edits must be action or result.');
}

function readList<T>(value: unknown, read: (item: unknown) => T): T[] {
  if (Array.isArray(value) && value.length <= MOST_ITEMS) return value.map(read);
  throw new ApiProblem(400, `comments and keep must be lists of at most ${MOST_ITEMS} items.`);
}

function readComment(value: unknown): LineComment {
  const { line, text } = isJsonObject(value) ? value : {};
  const isLine = line === null || (typeof line === 'number' && Number.isSafeInteger(line) && line > 0);
  if (isLine && typeof text === 'string' && text.trim() !== '') return { line, text };
  throw new ApiProblem(400, 'A comment needs a text, and a line number or null.');
}

function readHunkId(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ApiProblem(400, 'keep must list the ids of changes.');
}

function readReasons(value: unknown): Record<string, string> {
  const entries = isJsonObject(value) ? Object.entries(value) : undefined;
  if (entries?.every(([, reason]) => typeof reason === 'string'))
    return Object.fromEntries(entries) as Record<string, string>;
  throw new ApiProblem(400, 'dropReasons must have a text for each id.');
}
