import { sleep } from '../../node/clock.js';
import type { PageEvent } from './api.js';
import { securityHeaders } from './guard.js';
import { ApiProblem } from './requests.js';

/** How many events are kept for a page that was away. */
const MOST_KEPT = 2000;
const MOST_STREAMS = 32;
/** A page that reads slower than this must load everything again. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A page that reloads is away for a moment. */
const AWAY_MS = 5000;
const LOOK_MS = 250;

interface NumberedEvent {
  id: number;
  text: string;
}

/** The events for every open page, each with a rising number. */
export class EventHub {
  #kept: NumberedEvent[] = [];
  #last = 0;
  readonly #streams = new Set<EventStream>();

  /** Settles once no page has listened for a while, or at once where none does. */
  async left(): Promise<void> {
    if (!this.isOpen) return;
    for (let away = 0; away < AWAY_MS; away += LOOK_MS) {
      await sleep(LOOK_MS);
      if (this.isOpen) away = 0;
    }
  }

  /** Whether anyone listens. */
  get isOpen(): boolean {
    return this.#streams.size > 0;
  }

  send(event: PageEvent): void {
    const id = ++this.#last;
    const numbered = { id, text: `id: ${id}\ndata: ${JSON.stringify(event)}\n\n` };
    this.#kept.push(numbered);
    if (this.#kept.length > MOST_KEPT) this.#kept = this.#kept.slice(-MOST_KEPT / 2);
    for (const stream of this.#streams) stream.write(numbered.text);
  }

  /** Events after this number; with `gap` first where some of them are gone. `isAllowed` is asked again and again. */
  open(after: number, isAllowed: () => boolean, onEnd: () => void): Response {
    if (this.#streams.size >= MOST_STREAMS) throw new ApiProblem(429, 'Too many pages are open.');
    const stream = new EventStream(isAllowed, () => {
      this.#streams.delete(stream);
      onEnd();
    });
    this.#streams.add(stream);
    const isComplete = after <= this.#last && (this.#kept[0]?.id ?? this.#last + 1) <= after + 1;
    stream.write(': teddy\n\n');
    if (isComplete) for (const { id, text } of this.#kept) if (id > after) stream.write(text);
    if (!isComplete)
      stream.write(`id: ${this.#last}\ndata: ${JSON.stringify({ type: 'gap' } satisfies PageEvent)}\n\n`);
    return stream.response;
  }

  /** Ends the streams whose token was revoked. */
  endRevoked(): void {
    for (const stream of this.#streams) stream.write('');
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

class EventStream {
  readonly response: Response;
  readonly #isAllowed: () => boolean;
  readonly #onEnd: () => void;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOver = false;

  constructor(isAllowed: () => boolean, onEnd: () => void) {
    this.#isAllowed = isAllowed;
    this.#onEnd = onEnd;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES }),
    );
    this.response = new Response(body, {
      headers: { ...securityHeaders(), 'content-type': 'text/event-stream' },
    });
    this.#heartbeat = setInterval(() => this.write(':\n\n'), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** A page that does not keep up, or whose token was revoked, is cut off; it connects again or not. */
  write(text: string): void {
    if (this.#isOver) return;
    const isSlow = (this.#controller.desiredSize ?? 0) <= 0;
    if (isSlow || !this.#isAllowed()) this.end();
    else this.#controller.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    try {
      this.#controller.close();
    } catch {
      // It was cancelled.
    }
    this.#onEnd();
  }
}
