import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { race, swap } from './race.js';
import { stress } from './stress.js';
import { work } from './worker.js';

const USAGE = `npm run stress -- [--seconds 60] [--processes 32] [--seed N] [--folder F] [--race]

Commits to the same files from many processes, half of which are killed again and again.
With --race: commits and reads while another process swaps links to outside into the way (Linux).
The last line is JSON; the exit code is 1 when anything was lost, torn or left behind.`;

/** Also what the processes that it starts begin with. The result is the exit code. */
export async function main(args: string[]): Promise<number> {
  const program = fileURLToPath(import.meta.url);
  if (args[0] === 'worker') {
    await work(JSON.parse(args[1]!));
    return 0;
  }
  if (args[0] === 'swapper') {
    swap(args[1]!, Number(args[2]));
    return 0;
  }
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      processes: { type: 'string', default: '32' },
      seed: { type: 'string', default: '1' },
      folder: { type: 'string' },
      race: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
  const { violations, ...figures } = values.race
    ? await race(seconds, seed, program)
    : await stress({
        seconds,
        processes: Number(values.processes),
        seed,
        program,
        ...(values.folder === undefined ? {} : { folder: values.folder }),
      });
  const times = new Map<string, number>();
  for (const violation of violations) times.set(violation, (times.get(violation) ?? 0) + 1);
  for (const [violation, count] of [...times].slice(0, 50))
    console.log(count === 1 ? violation : `${count} × ${violation}`);
  console.log(JSON.stringify({ ...figures, violations: violations.length }));
  return violations.length === 0 ? 0 : 1;
}

// Started by itself, as the process of a stress.
if (process.argv[2] === 'worker' || process.argv[2] === 'swapper')
  process.exitCode = await main(process.argv.slice(2));
