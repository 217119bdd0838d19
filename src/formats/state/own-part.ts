// What of a field's value is ours to replace. People write behind a value, or instead of it, and their words stay:
// only what has a form that we or the usual templates write makes way.

/** How much of the start of a text has a form of ours; 0 where nothing has. */
type OwnForm = (text: string) => number;

/** A new value with the words of a person behind it, to the letter. */
export interface Written {
  ours: string;
  /** What follows `ours`, the space between included. */
  theirs: string;
  /** How a person's words come to be there: their own value is joined to ours, or it stays as a line of its own. */
  kept?: 'joined' | 'below';
}

/** No words go on there: `Blocked by Ann` and `Complete-ish` are sentences of a person, `Blocked, says Ann` is not. */
const PHRASE_END = "(?!(?:\\s*|[-/_'’.&+])[\\p{L}\\p{N}])";
const VALUE_END = '(?![\\p{L}\\p{N}])';
const BRACKETS = '\\[[^[\\]]{0,200}\\](?![([:])';
const PLACEHOLDER = [
  `(?:-{1,3}|[–—…]|\\.{3}|\\?{1,3}|n/a|tbd|todo|unknown|never|none(?: yet)?|nothing(?: yet)?|not started(?: yet)?|${BRACKETS})`,
  PHRASE_END,
].join('');
const SYMBOLS = '(?:[\\p{So}\\p{Cf}\\ufe0f]{1,6} ?)?';
const STATUS = [
  'ready to (?:plan|execute|start|begin)',
  'ready for (?:planning|execution|verification)',
  'planning complete',
  '(?:phase|milestone|project) completed?',
  'in[ _-]progress',
  'not[ _-]started',
  'ready|planned|planning|executing|active|verifying|blocked|completed?|done|paused|on hold|pending|waiting|failed|skipped',
].join('|');
const TREND = 'improving|declining|stable|not enough data|degrading|worsening|slowing|steady';
const NUMBER = '\\d{1,9}(?:\\.\\d{1,9})?';
const UNIT = '(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?!\\p{L})';
const DURATION = `[~≈<]?(?:(?:${NUMBER}|${BRACKETS}) ?${UNIT}(?: ?${NUMBER} ?${UNIT}){0,4}|\\d{1,3}(?::\\d{2}){1,2}|${NUMBER})`;
const DAY = '\\d{4}-\\d{2}-\\d{2}';
const TIME = '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\\d{2}:?\\d{2}))?';
const BAR_INSIDE = '[^\\]\\p{L}\\d`]{0,120}';
const TASKS = '\\d{1,9} ?(?:/|of) ?\\d{1,9}(?: (?:tasks|plans|phases))?(?: (?:completed?|done))?';

/** What became of a task, as we begin to say it. */
export const DONE = /^(?:Completed|Failed|Blocked) \S/;
const wholePlaceholder = form(`${PLACEHOLDER}$`);

export const FORMS = {
  placeholder: form(PLACEHOLDER),
  status: form(`${SYMBOLS}(?:${STATUS})${PHRASE_END}`, PLACEHOLDER),
  trend: form(`${SYMBOLS}(?:${TREND})${PHRASE_END}`, PLACEHOLDER),
  count: form(`\\d{1,9}(?:(?: ?/ ?| of )\\d{1,9})?${VALUE_END}`, PLACEHOLDER),
  durations: form(`${DURATION}(?:(?:, ?| ?[|/] ?)${DURATION}){0,30}${VALUE_END}`, PLACEHOLDER),
  time: form(`${DAY}(?:(?:T|,? )${TIME})?${VALUE_END}`, PLACEHOLDER),
  progress: form(
    `(?:\`\\[${BAR_INSIDE}\\]\` ?|\\[${BAR_INSIDE}\\] ?|[\\u2580-\\u25ff#=>·.-]{1,120} ?)?\\d{1,3}(?:\\.\\d{1,2})? ?%(?: ?\\(${TASKS}\\)){0,9}${VALUE_END}`,
    `${TASKS}(?: \\(\\d{1,3} ?%\\))?${VALUE_END}`,
    PLACEHOLDER,
  ),
  /** `[X] of [Y] ([Name])`, as templates have it. */
  noCount: form(`${BRACKETS} of ${BRACKETS}(?: \\(${BRACKETS}\\))?`, PLACEHOLDER),
  /** The whole of `2026-01-26 - Completed Task 2`: where the text behind the day ends, nobody can tell. */
  activity: form(`(?:${DAY}|${BRACKETS})(?:(?:T|,? )${TIME})?(?:$| ?(?:[–—:-]|--) [^]*)`, `${PLACEHOLDER}$`),
  /** The same of `Completed Task 2`. */
  stop: (text: string) => (DONE.test(text) ? text.length : wholePlaceholder(text)),
} as const;

function form(...patterns: string[]): OwnForm {
  const shapes = patterns.map((pattern) => new RegExp(`^(?:${pattern})`, 'iu'));
  return (text) => Math.max(...shapes.map((shape) => shape.exec(text)?.[0].length ?? 0));
}

/** Emphasis before what is ours stays where it is; it ends behind it. */
export function ownPart(text: string, own: OwnForm): { lead: string; length: number } {
  const length = own(text);
  if (length > 0) return { lead: '', length };
  const lead = /^[*_`]{0,3}/.exec(text)![0];
  return { lead, length: own(text.slice(lead.length)) };
}

/** Whether nothing but a form of ours stands there. */
export function isOwn(text: string, own: OwnForm): boolean {
  const { lead, length } = ownPart(text, own);
  return length > 0 && /^[*_`]{0,3}$/.test(text.slice(lead.length + length));
}

/**
 * `In progress — ask Ann` with `Blocked` is `Blocked — ask Ann`. A value that is all a person's stays behind ours:
 * `ask Ann` becomes `Blocked — ask Ann`. Written once more, it is the same.
 */
export function replaceOwn(old: string, ours: string, own: OwnForm): Written {
  if (old === '') return { ours, theirs: '' };
  const { lead, length } = ownPart(old, own);
  if (length === 0) {
    // A value of ours without a form, such as a time that nobody can read.
    const said = old.slice(lead.length);
    if (said === ours || said.startsWith(`${ours} — `))
      return { ours: lead + ours, theirs: said.slice(ours.length) };
    return { ours, theirs: joinedTo(ours, old, own), kept: 'joined' };
  }
  const tail = old.slice(lead.length + length);
  const isStable = tail === '' || own(ours + tail) === ours.length;
  return { ours: lead + ours, theirs: isStable ? tail : ` — ${tail.trimStart()}` };
}

function joinedTo(ours: string, theirs: string, own: OwnForm): string {
  const isJoint = /^[-–—(]/.test(theirs) && own(`${ours} ${theirs}`) === ours.length;
  return isJoint ? ` ${theirs}` : ` — ${theirs}`;
}
