import { ACTION_COUNT, detailOf, INBOX, RUN, RUNS, reviewRun } from './fixture-data.js';
import {
  board,
  ENDED_RUN,
  endedRun,
  METRICS,
  REFUSED_RUN,
  RUNNING_RUN,
  refusedRun,
  runningRun,
  SESSION,
  SESSIONS,
  UNDO,
} from './fixture-project.js';

/** The answers of a project in which everything is open. */
export function projectAnswers(): Record<string, unknown> {
  const actions = (run: string) =>
    Object.fromEntries(
      Array.from({ length: ACTION_COUNT }, (_, at) => [
        `/api/runs/${run}/actions/${at + 1}`,
        detailOf(at + 1),
      ]),
    );
  return {
    '/api/inbox': INBOX,
    '/api/runs': RUNS,
    '/api/sessions': SESSIONS,
    '/api/sessions/search': SESSION,
    '/api/tasks': board(),
    '/api/metrics': METRICS,
    [`/api/runs/${RUN}`]: reviewRun(),
    [`/api/runs/${ENDED_RUN}`]: endedRun(),
    [`/api/runs/${ENDED_RUN}/undo`]: UNDO,
    [`/api/runs/${RUNNING_RUN}`]: runningRun(),
    [`/api/runs/${REFUSED_RUN}`]: refusedRun(),
    ...actions(RUN),
    ...actions(ENDED_RUN),
    ...actions(RUNNING_RUN),
  };
}

/** Those of a new project. */
export function emptyAnswers(): Record<string, unknown> {
  return {
    '/api/inbox': { ...INBOX, questions: [] },
    '/api/runs': [],
    '/api/sessions': [],
    '/api/tasks': { phases: [], timeline: [], criticalPath: [], active: false },
    '/api/metrics': { executors: [], firstAttemptRate: null, days: [], calibration: [] },
  };
}
