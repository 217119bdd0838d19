import { type Input, Keyboard } from '../terminal/keyboard.js';

const ESCAPE: Input = { kind: 'key', key: { name: 'escape' } };

/** A keyboard at which nobody waits any longer than what they ask about matters: then it is as if Esc was pressed. */
export class PersonKeyboard extends Keyboard {
  #signal: AbortSignal | undefined;

  async within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#signal = signal;
    try {
      return await work();
    } finally {
      this.#signal = undefined;
    }
  }

  override answer(): Promise<Input> {
    return this.#orEscape(() => super.answer());
  }

  override key(): Promise<Input> {
    return this.#orEscape(() => super.key());
  }

  /** A wait that is left takes no key from the next one: only the last to wait is told. */
  #orEscape(wait: () => Promise<Input>): Promise<Input> {
    const signal = this.#signal;
    if (signal === undefined) return wait();
    if (signal.aborted) return Promise.resolve(ESCAPE);
    return new Promise((resolve) => {
      const leave = () => resolve(ESCAPE);
      signal.addEventListener('abort', leave, { once: true });
      wait().then((input) => {
        signal.removeEventListener('abort', leave);
        resolve(input);
      });
    });
  }
}
