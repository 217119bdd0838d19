import { monotonicMs, sleep } from '../../node/clock.js';
import { randomSecret, sha256 } from '../../node/ids.js';

const MOST_SESSIONS = 32;
const MOST_CODES = 32;
/** Between two answers to requests with wrong tokens or codes. */
const PAUSE_MS = 250;
const MOST_WAITING = 40;

interface Code {
  expiresAt: number;
  /** The hash of the token that it gave. */
  token?: string;
}

export type Redeemed =
  | { status: 'token'; token: string }
  /** `again`: the code was used before, and the token that it gave is revoked now. */
  | { status: 'refused'; again: boolean };

/** Requests need a token, which a code gives once. Only hashes are kept. */
export class Access {
  readonly #codes = new Map<string, Code>();
  readonly #tokens = new Set<string>();
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();

  /** A new code, for a link. */
  issueCode(lifeMs = Number.POSITIVE_INFINITY): string {
    const code = randomSecret();
    this.#codes.set(sha256(code), { expiresAt: monotonicMs() + lifeMs });
    dropOldest(this.#codes, MOST_CODES);
    return code;
  }

  redeem(written: string): Redeemed {
    const code = this.#codes.get(sha256(written));
    if (code?.token !== undefined) {
      this.#tokens.delete(code.token);
      return { status: 'refused', again: true };
    }
    if (code === undefined || monotonicMs() > code.expiresAt) return { status: 'refused', again: false };
    const token = randomSecret();
    code.token = sha256(token);
    this.#tokens.add(code.token);
    dropOldest(this.#tokens, MOST_SESSIONS);
    return { status: 'token', token };
  }

  /** The session of an `Authorization` header; undefined where it has no token of ours. */
  sessionOf(authorization: string | undefined): string | undefined {
    const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization ?? '')?.[1];
    const hash = token === undefined ? undefined : sha256(token);
    return hash !== undefined && this.#tokens.has(hash) ? hash : undefined;
  }

  has(session: string): boolean {
    return this.#tokens.has(session);
  }

  /** Makes a wrong guess wait for its turn, one after the other; false where too many wait already. */
  async slowDown(): Promise<boolean> {
    if (this.#waiting >= MOST_WAITING) return false;
    this.#waiting++;
    this.#turn = this.#turn.then(() => sleep(PAUSE_MS));
    await this.#turn;
    this.#waiting--;
    return true;
  }
}

function dropOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  for (const key of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(key);
  }
}
