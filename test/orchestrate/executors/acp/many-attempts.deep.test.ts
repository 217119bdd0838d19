import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runAgentProgram } from './run-agent-program.js';

const ATTEMPTS = process.env.TEDDY_SOAK ? 1000 : 40;
const WARM = ATTEMPTS / 4;
/** Agents that end well, and such that have to be ended. */
const BEHAVIOURS = ['good', 'tells all', 'wrong ids', 'dies in its turn', 'leaves a child'];

test.skipIf(process.platform !== 'linux')(
  `${ATTEMPTS} attempts in a row leave no descriptor, and the memory stays`,
  async () => {
    const measure = () => {
      globalThis.gc?.();
      return {
        descriptors: readdirSync('/proc/self/fd').length,
        megabytes: Math.round(process.memoryUsage().rss / 1024 / 1024),
      };
    };
    let warm: ReturnType<typeof measure> | undefined;
    for (let n = 1; n <= ATTEMPTS; n++) {
      const { end } = await runAgentProgram(BEHAVIOURS[n % BEHAVIOURS.length]!);
      expect(['returned', 'crashed']).toContain(end.status);
      if (n === WARM) warm = measure();
    }
    const end = measure();
    console.log(`attempts: ${ATTEMPTS}`, { warm, end });
    expect(end.descriptors).toBeLessThanOrEqual(warm!.descriptors + 2);
    expect(end.megabytes).toBeLessThan(warm!.megabytes * 2);
  },
);
