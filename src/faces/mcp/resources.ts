import { loadProject } from '../../config/project.js';
import { reportOf } from '../../inbox/proposals.js';
import { listRequestQuestions } from '../../inbox/request-questions.js';
import { listRuns, runOf } from '../../runs/run-list.js';
import { listProject } from '../../tasks/plans/tasks.js';
import { openCapture } from '../../tasks/project.js';
import type { Workspace } from '../../workspace/workspace.js';
import { guideOn } from './guides.js';
import { GUIDE_TOPICS, type GuideTopic } from './tools.js';

const MOST_LISTED = 50;

interface ListedResource {
  uri: string;
  name: string;
  mimeType: string;
}

export function listResources(workspace: Workspace): { guides: ListedResource[]; reports: ListedResource[] } {
  const own = listRuns(workspace).filter(({ foreign }) => !foreign);
  const mimeType = 'text/markdown';
  return {
    guides: GUIDE_TOPICS.map((topic) => ({
      uri: `teddy://guide/${topic}`,
      name: `guide: ${topic}`,
      mimeType,
    })),
    reports: own.slice(0, MOST_LISTED).map(({ id, title }) => ({
      uri: `teddy://report/${id}`,
      name: title ?? id,
      mimeType,
    })),
  };
}

/** Undefined where there is no such resource. */
export async function readResource(
  workspace: Workspace,
  uri: string,
): Promise<{ text: string; mimeType: string } | undefined> {
  const [, kind, name = ''] = /^teddy:\/\/(guide|report|state)(?:\/([^/]*))?$/.exec(uri) ?? [];
  if (kind === 'state') return { text: await describeState(workspace), mimeType: 'application/json' };
  const topic = GUIDE_TOPICS.find((known) => known === name);
  if (kind === 'guide' && topic !== undefined) return markdown(guideOn(topic satisfies GuideTopic));
  const read = kind === 'report' ? runOf(workspace, name) : undefined;
  return read?.origin === 'own' ? markdown(reportOf(read.run)) : undefined;
}

function markdown(text: string) {
  return { text, mimeType: 'text/markdown' };
}

/** What waits for the user, and which tasks can start. */
async function describeState(workspace: Workspace): Promise<string> {
  const loaded = await loadProject(workspace.root);
  const tasks = loaded.status === 'loaded' ? listProject(openCapture(workspace, loaded.config)).next : null;
  const waiting = listRequestQuestions(workspace).map(({ id, kind, title, askedAt }) => ({
    id,
    kind,
    title,
    askedAt,
  }));
  const runs = listRuns(workspace)
    .slice(0, 5)
    .map(({ id, title, overall, undone }) => ({ id, title, overall, undone }));
  return `${JSON.stringify({ root: workspace.root, waiting, tasks, runs }, null, 2)}\n`;
}
