import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Attempt } from './escape/attempt.js';
import { FILES, LATER } from './escape/files.js';
import { because, House, isRoot } from './escape/house.js';
import { KERNEL } from './escape/kernel.js';
import { ODD } from './escape/odd.js';
import { DAEMONS, PROCESSES, SOCKETS } from './escape/others.js';
import { SECRETS } from './escape/secrets.js';

const ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  files: FILES,
  'files that are obeyed later': LATER,
  secrets: SECRETS,
  kernel: KERNEL,
  processes: PROCESSES,
  daemons: DAEMONS,
  sockets: SOCKETS,
  'odd ways': ODD,
};
const ALL = Object.values(ATTEMPTS).flat();

function makePlace(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'teddy-escape-')));
}

const USERS = isRoot ? ['root', 'a user without rights'] : ['the user'];

for (const user of USERS) {
  describe.skipIf(because !== '')(`confined as ${user}${because}`, () => {
    let house: House;
    beforeAll(async () => {
      house = await House.build(makePlace(), { isUnprivileged: user === 'a user without rights' });
      await house.settle();
    });
    afterAll(() => house?.tearDown());

    for (const [kind, attempts] of Object.entries(ATTEMPTS))
      test.for(attempts.map((attempt) => [attempt.name, attempt] as const))(`${kind}: %s`, ([, attempt]) => {
        const { text, ...rest } = house.make(attempt);
        expect(text).toMatch(attempt.expects);
        expect(rest).toEqual({ isRead: false, changed: [], left: [] });
      });
  });
}

describe.skipIf(because !== '')(`without confinement${because}`, () => {
  const controlled = ALL.filter(({ isControlled }) => isControlled);
  test.for(controlled.map((attempt) => [attempt.name, attempt] as const))(
    'one can %s',
    async ([, attempt]) => {
      const house = await House.build(makePlace(), { hasCopy: false });
      try {
        const { isRead, changed, left, text } = house.make(attempt, { isConfined: false });
        expect(isRead || changed.length > 0 || left.length > 0, text).toBe(true);
      } finally {
        house.tearDown();
      }
    },
  );
});

test('there are at least 80 attempts, each with a name of its own', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(80);
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});
