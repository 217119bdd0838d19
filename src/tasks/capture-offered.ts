import { redactorFor } from '../config/redactor.js';
import { monotonicMs } from '../node/clock.js';
import { UserError } from '../node/user-error.js';
import type { Incoming, Offered } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';
import { type CaptureEnd, captureResults } from './capture-results.js';
import { openCapture } from './project.js';
import type { SubmitOptions, SubmitRequest } from './submission.js';
import type { CaptureItem } from './types.js';

interface OfferedItem extends CaptureItem {
  /** Whose it is; null for our own. */
  offered: string | null;
}

/** For so long whoever leads goes on with what others offer meanwhile: it has at hand what they would have to load. */
const LEADS_FOR_MS = 2000;

/** Captures all results that wait, ours among them, and answers the others. The caller leads. */
export async function captureOffered(
  held: Incoming,
  request: SubmitRequest,
  { workspace, config, text, environment }: SubmitOptions,
): Promise<CaptureEnd> {
  const started = monotonicMs();
  const project = openCapture(workspace, config);
  const redactor = redactorFor(null, environment);
  const mask = (each: string) => redactor.mask(each);
  const { removal } = held;
  const own: OfferedItem = { ...itemOf(request, text, mask), offered: null, ...(removal && { removal }) };
  // One that failed stays where it is until its process has read why.
  const seenTo = new Set([held.path]);
  const others = () =>
    workspace.offered().flatMap((offered) => (seenTo.has(offered.path) ? [] : readOffered(offered, mask)));
  // By the time at which they came, which their names begin with.
  const nameOf = ({ offered }: OfferedItem) => offered ?? held.path;
  const capture = async (collect: () => OfferedItem[]) => {
    const ends = await captureResults(project, collect);
    for (const [{ offered }, end] of ends ?? []) {
      if (offered === null) continue;
      seenTo.add(offered);
      answer(workspace, offered, end);
    }
    return ends;
  };
  const ends = await capture(() =>
    [...others(), own].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)),
  );
  while (others().length > 0 && monotonicMs() - started < LEADS_FOR_MS) await capture(others);
  const end = ends?.get(own);
  if (end) return end;
  throw new UserError(
    'The result was not captured: another teddy has held the lock on this project for a minute; try again when it is done.',
  );
}

/** Who cannot be told submits again, and then it is known. */
function answer(workspace: Workspace, path: string, end: CaptureEnd): void {
  try {
    workspace.answerOffered(path, JSON.stringify(end));
  } catch {}
}

function itemOf(
  { now, state, ...submission }: SubmitRequest,
  text: string,
  mask: CaptureItem['mask'],
): CaptureItem {
  return {
    submission: { ...submission, text },
    now: new Date(now),
    mask,
    ...(state !== undefined && { state }),
  };
}

function readOffered({ path, text, request, removal }: Offered, mask: CaptureItem['mask']): OfferedItem[] {
  try {
    return [{ ...itemOf(JSON.parse(request) as SubmitRequest, text, mask), offered: path, removal }];
  } catch {
    return [];
  }
}
