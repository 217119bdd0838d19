import { startTask as start } from '../../capture/index.js';
import { writeOutput } from '../../platform/index.js';
import type { GlobalOptions } from '../options.js';
import { paintFor } from '../paint.js';
import { findPlace } from '../place.js';
import { visibleJson, visibleLine } from '../visible.js';
import { captureOf, openTasks } from './open.js';

interface Options extends GlobalOptions {
  session?: string;
}

export async function startTask(named: string, options: Options): Promise<number> {
  const project = captureOf(await openTasks(findPlace(options), options));
  const { id, name, session, attempts } = await start(project, named, {
    ...(options.session !== undefined && { session: options.session }),
  });
  const paint = paintFor('stdout', options);
  writeOutput(
    options.json
      ? `${visibleJson({ id, name, status: 'in_progress', session, attempts })}\n`
      : `${paint('bold', visibleLine(id))}  ${visibleLine(name)}: ${paint('cyan', 'in progress')} (attempt ${attempts}, session ${visibleLine(session)})\n`,
  );
  return 0;
}
