import type { Page } from 'playwright-core';
import { CHANGES_RUN, WORK } from './fixture/changeset.js';
import { RUN } from './fixture/data.js';
import { ENDED_RUN, REFUSED_RUN, RUNNING_RUN } from './fixture/project.js';
import { press } from './keys.js';

/** Every view and state of the page: how to get there, and what is there when it is drawn. */
export interface ViewCase {
  name: string;
  route: string;
  ready: string;
  keys?: readonly string[];
  press?: string;
  /** What keys and buttons lead to. */
  opens?: string;
}

export const VIEWS: readonly ViewCase[] = [
  { name: 'inbox', route: '#/inbox', ready: '.row-link' },
  { name: 'runs', route: '#/runs', ready: '.line-link' },
  { name: 'review', route: `#/runs/${RUN}`, ready: '.diff-row' },
  { name: 'review of a command', route: `#/runs/${RUN}/4`, ready: '.command' },
  {
    name: 'comment',
    route: `#/runs/${RUN}`,
    ready: '.diff-row',
    keys: ['c'],
    opens: '.comment-editor textarea:focus',
  },
  {
    name: 'dropped change',
    route: `#/runs/${RUN}`,
    ready: '.diff-row',
    keys: ['n', 'x'],
    opens: '.hunk-choice.dropped',
  },
  {
    name: 'whole file',
    route: `#/runs/${RUN}`,
    ready: '.diff-row',
    keys: ['w', 'd'],
    opens: 'button[aria-pressed=true]:text-is("Whole file")',
  },
  { name: 'edit', route: `#/runs/${RUN}`, ready: '.diff-row', keys: ['e'], opens: '.cm-content:focus' },
  { name: 'changes of an agent, in review', route: `#/runs/${CHANGES_RUN}`, ready: '.diff-row' },
  {
    name: 'changes of an agent: the mode is dropped',
    route: `#/runs/${CHANGES_RUN}`,
    ready: '.diff-row',
    keys: ['n', 'n', 'x'],
    opens: '.hunk-choice.dropped',
  },
  { name: 'changes of an agent: a conflict', route: `#/runs/${CHANGES_RUN}/2`, ready: '.diff-row' },
  { name: 'changes of an agent: a deletion', route: `#/runs/${CHANGES_RUN}/3`, ready: '.diff-row' },
  {
    name: 'changes of an agent: not a text',
    route: `#/runs/${CHANGES_RUN}/4`,
    ready: '.action-panel .facts',
  },
  {
    name: 'changes of an agent that wait',
    route: `#/changes/${WORK}`,
    ready: '.changed-file',
    keys: ['j', 'Enter'],
    opens: '.diff-row',
  },
  { name: 'help', route: '#/inbox', ready: '.row-link', keys: ['?'], opens: 'dialog[open]' },
  { name: 'running', route: `#/runs/${RUNNING_RUN}/4`, ready: '.output' },
  { name: 'ended', route: `#/runs/${ENDED_RUN}`, ready: '.result' },
  {
    name: 'undo',
    route: `#/runs/${ENDED_RUN}`,
    ready: '.result',
    press: 'Undo',
    opens: 'dialog[open] .sentences',
  },
  { name: 'refused', route: `#/runs/${REFUSED_RUN}`, ready: '.issues' },
  { name: 'unknown run', route: '#/runs/none', ready: '.empty' },
  { name: 'sessions', route: '#/sessions', ready: '.row-link' },
  { name: 'session', route: '#/sessions/search', ready: '.bubble' },
  { name: 'tasks', route: '#/tasks', ready: '.task-card' },
  { name: 'task', route: '#/tasks/01-02:3', ready: '.attempt' },
  { name: 'graph', route: '#/tasks', ready: '.task-card', press: 'Graph', opens: '.graph-scroll' },
  { name: 'timeline', route: '#/tasks', ready: '.task-card', press: 'Timeline', opens: '.lane' },
  { name: 'metrics', route: '#/metrics', ready: '.chart' },
  { name: 'results of a figure', route: '#/metrics/false-claims', ready: '.result-line' },
  { name: 'agent reports', route: '#/metrics/reports/security', ready: '.result-line' },
  { name: 'task question', route: '#/questions/01-02:3', ready: '.task-answer' },
  { name: 'agent report', route: '#/questions/r-7', ready: '.decision' },
];

/** Opens a view in a page that is connected. */
export async function showView(page: Page, view: ViewCase): Promise<void> {
  await page.evaluate((route) => {
    location.hash = route;
  }, view.route);
  await page.locator(view.ready).first().waitFor();
  await press(page, ...(view.keys ?? []));
  if (view.press !== undefined) await page.getByRole('button', { name: view.press }).press('Enter');
  if (view.opens !== undefined) await page.locator(view.opens).first().waitFor();
}
