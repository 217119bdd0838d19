import { phaseValue, planValue, wholeNumber } from './counts.js';
import { formatDuration, formatDurationWords, formatProgress } from './durations.js';
import { fieldText, plainName } from './inline.js';
import type { FieldName } from './names.js';
import { DONE, FORMS, isOwn, replaceOwn, type Written } from './own-part.js';
import type { PhaseRow, StateFacts, StateFields } from './types.js';

/** What a field is to say, given what it says now; empty where it is new. */
export type Value = (old: string) => Written;

/** The two fields that always come together, each of which says what the other says. */
export type Twins = Pick<StateFields, 'lastActivity' | 'stoppedAt'>;

/** The fields that the facts speak of, in the order in which they are added where they are missing. */
export function fieldValues(facts: StateFacts, twins: Twins): Map<FieldName, Value> {
  const values = new Map<FieldName, Value>();
  const set = (name: FieldName, value: Value | undefined) => {
    if (value) values.set(name, value);
  };
  const setOwn = (name: FieldName, ours: string, form: keyof typeof FORMS) =>
    set(name, (old) => replaceOwn(old, ours, FORMS[form]));
  const { phase, plan, status, lastActivity, progress, velocity, recentPlans, session } = facts;
  set('phase', phase && ((old) => phaseValue(old, phase)));
  set('plan', plan && ((old) => planValue(old, plan)));
  if (status) setOwn('status', fieldText(status), 'status');
  set('lastActivity', lastActivity && ((old) => activityValue(old, lastActivity, twins.stoppedAt)));
  if (progress) setOwn('progress', formatProgress(progress), 'progress');
  if (velocity) {
    setOwn('totalPlansCompleted', wholeNumber(velocity.plansCompleted), 'count');
    setOwn('averageDuration', formatDurationWords(velocity.averageMs), 'durations');
    setOwn('totalExecutionTime', velocity.totalMs > 0 ? formatDuration(velocity.totalMs) : '0m', 'durations');
  }
  if (recentPlans) {
    const durations = recentPlans.durationsMs.slice(0, 5).map(formatDuration);
    setOwn('lastPlans', durations.join(', ') || '-', 'durations');
    setOwn('trend', fieldText(recentPlans.trend), 'trend');
  }
  if (session) setOwn('lastSession', sessionTime(session.at), 'time');
  set('stoppedAt', session && ((old) => stopValue(old, session.stoppedAt, twins.lastActivity)));
  return values;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATED = /^(\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?)( ?(?:[–—:-]|--) )(?=\S)/;

/** The separator that the file has between date and text stays. */
function activityValue(old: string, fact: { date: string; text: string }, stop: string | null): Written {
  const { date, text } = fact;
  const own = DATE.test(date) ? DATED.exec(old)?.[2] : undefined;
  const ours = fieldText(text) === '' ? fieldText(date) : fieldText(`${date}${own ?? ' - '}${text}`);
  const isOurs = old === '' || (isOwn(old, FORMS.activity) && !saysMore(old, stop)) || isSame(old, stop);
  return { ours, theirs: '', ...(!isOurs && { kept: 'below' as const }) };
}

function stopValue(old: string, stoppedAt: string, activity: string | null): Written {
  const isOurs = old === '' || (isOwn(old, FORMS.stop) && !saysMore(old, activity)) || isSame(old, activity);
  return { ours: fieldText(stoppedAt), theirs: '', ...(!isOurs && { kept: 'below' as const }) };
}

function isSame(one: string, twin: string | null): boolean {
  return twin !== null && eventOf(one) === eventOf(twin);
}

/**
 * Both came from us with the same words. Where the twin says less of the same task, a person wrote the rest; where it
 * is a person's sentence, they may have written here, too.
 */
function saysMore(one: string, twin: string | null): boolean {
  if (!twin || isOwn(twin, FORMS.placeholder)) return false;
  const [event, other] = [eventOf(one), eventOf(twin)];
  if (!DONE.test(event) || !DONE.test(other)) return DONE.test(event);
  const task = (text: string) => text.split(' ', 3).join(' ');
  return !other.startsWith(event) && (event.startsWith(other) || task(event) === task(other));
}

/** `2026-01-26 - **Completed** Task 2` → `Completed Task 2` */
function eventOf(value: string): string {
  const plain = value.replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim();
  return plain.slice(DATED.exec(plain)?.[0].length ?? 0);
}

/** `2026-01-26 14:32`, in UTC; a time without a zone is in UTC already, and one that cannot be read is a name. */
function sessionTime(at: string): string {
  const ms = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]{1,20}$/.test(at) ? `${at}Z` : at);
  if (Number.isNaN(ms)) return plainName(at.replaceAll('_', ' '));
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD HH:MM'.length).replace('T', ' ');
}

/** The cells of a row of By Phase, by column. */
export function phaseCells({ completed, plans, totalMs, averageMs }: PhaseRow) {
  return {
    plans: `${wholeNumber(completed)}/${wholeNumber(plans)}`,
    total: totalMs === null ? '-' : formatDuration(totalMs),
    average: averageMs === null ? '-' : formatDuration(averageMs),
  };
}
