import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Inbox, PageEvent } from '../api.js';
import { followEventStream, hasCode, hasToken, RequestFailure, send, startSession } from './client.js';
import { appendOutput } from './output.js';

// The page's state: what the server said last, read again whenever an event says that it changed.

export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export const connection = signal<Connection>('connecting');
/** A sentence about the last thing that failed, or that another face did; null if there is none. */
export const notice = signal<string | null>(null);
/** By session: what a model that works on the next plan has sent so far, in one line. */
export const planning = signal<Readonly<Record<string, string>>>({});

export interface Loaded<T> {
  value: T | null;
  failure: RequestFailure | null;
}

interface Entry {
  state: Signal<Loaded<unknown>>;
  users: number;
  reading: boolean;
  /** Changed while it was being read. */
  stale: boolean;
}

const entries = new Map<string, Entry>();

function entryOf(path: string): Entry {
  const found = entries.get(path);
  if (found) return found;
  const made: Entry = {
    state: signal({ value: null, failure: null }),
    users: 0,
    reading: false,
    stale: false,
  };
  entries.set(path, made);
  return made;
}

/** What the server says at a path, for as long as a component uses it. */
export function useLoaded<T>(path: string): Loaded<T> {
  const entry = useMemo(() => entryOf(path), [path]);
  useEffect(() => {
    // It may have been forgotten since the component was rendered.
    entries.set(path, entry);
    entry.users++;
    void refresh(path);
    return () => {
      entry.users--;
    };
  }, [path]);
  return entry.state.value as Loaded<T>;
}

let startReading: () => void;
/** Nothing is read before there is a token. */
const readable = new Promise<void>((resolve) => {
  startReading = resolve;
});

export async function refresh(path: string): Promise<void> {
  await readable;
  const entry = entryOf(path);
  if (entry.reading) {
    entry.stale = true;
    return;
  }
  entry.reading = true;
  do {
    entry.stale = false;
    try {
      entry.state.value = { value: await send<unknown>('GET', path), failure: null };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      refuseIfNeeded(error);
      entry.state.value = { value: entry.state.value.value, failure: error };
    }
  } while (entry.stale);
  entry.reading = false;
}

/** Reads again what is shown, and forgets the rest. */
function refreshAll(isChanged: (path: string) => boolean): void {
  for (const [path, entry] of entries) {
    if (!isChanged(path)) continue;
    if (entry.users > 0) void refresh(path);
    else entries.delete(path);
  }
}

export const INBOX = '/api/inbox';

export const inbox: ReadonlySignal<Inbox | null> = computed(
  () => entryOf(INBOX).state.value.value as Inbox | null,
);

/** Starts with the link's code, then follows the server's events for as long as the page is open. */
export async function connect(): Promise<void> {
  entryOf(INBOX).users++;
  // A new link can be pasted into a tab that is already open.
  addEventListener('hashchange', () => {
    if (hasCode()) void enter();
  });
  await enter();
}

async function enter(): Promise<void> {
  try {
    await startSession();
  } catch (error) {
    const reason = error instanceof RequestFailure ? error.message : String(error);
    if (connection.value === 'open') notice.value = reason;
    else refuse(reason);
    return;
  }
  if (!hasToken()) {
    refuse(null);
    return;
  }
  startReading();
  refreshAll(() => true);
  if (connection.value === 'refused') connection.value = 'connecting';
  if (!following) await followEvents();
}

/** Why the server refused this page, in its words; null: this tab has no token. */
export const refusal = signal<string | null>(null);

function refuse(reason: string | null): void {
  refusal.value = reason;
  connection.value = 'refused';
}

function refuseIfNeeded(error: RequestFailure): void {
  if (error.status === 401) refuse(error.message);
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

let following = false;

async function followEvents(): Promise<void> {
  following = true;
  await followUntilRefused();
  following = false;
}

async function followUntilRefused(): Promise<void> {
  let after = 0;
  let wait = FIRST_WAIT_MS;
  while (connection.value !== 'refused') {
    const opened = () => {
      if (connection.value === 'lost') refreshAll(() => true);
      connection.value = 'open';
      wait = FIRST_WAIT_MS;
    };
    try {
      after = await followEventStream(after, { opened, received: applyEvent }, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      refuseIfNeeded(error);
    }
    if ((connection.value as Connection) === 'refused') return;
    connection.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}

function applyEvent(event: PageEvent): void {
  switch (event.type) {
    case 'changed':
      refreshAll((path) => path === `/api/${event.what}` || path.startsWith(`/api/${event.what}/`));
      break;
    case 'run':
      refreshAll((path) => `${path}/`.startsWith(`/api/runs/${event.id}/`));
      break;
    case 'output':
      appendOutput(event);
      break;
    case 'planning': {
      const { [event.session]: _, ...others } = planning.value;
      planning.value = event.done ? others : { ...others, [event.session]: event.line };
      if (event.done) refreshAll((path) => path.startsWith('/api/sessions'));
      break;
    }
    case 'gap':
      // The server that was asking a model may be gone.
      planning.value = {};
      refreshAll(() => true);
  }
}

/** Does what a button says; a refusal is shown as a notice. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    refuseIfNeeded(error);
    notice.value = error.message;
    return false;
  }
}
