import type { Config, Policy, ProjectFile } from '../config/types.js';
import type { CaptureProject } from '../tasks/project.js';
import type { ProjectTasks } from '../tasks/project-tasks.js';
import type { FoundPlan } from '../tasks/types.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Person } from './asking.js';
import type { OrchestrateEvent, OrchestrationOverview } from './events.js';
import type { TaskGraph } from './graph/task-graph.js';

export interface OrchestrateOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
  /** As people name them, by path or id; none: all of the project. */
  plans: readonly string[];
  /** What is not said here is as the config says. */
  executor?: string;
  jobs?: number;
  isolation?: 'worktree' | 'none';
  maxAttempts?: number;
  budgetUsd?: number;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends everything, and what was under way does not count. */
  signal: AbortSignal;
  emit(event: OrchestrateEvent): void;
  /**
   * Throws where the programs that the repository's own git config names may not run. Asked before attempts are made in
   * worktrees; without it such a repository is refused.
   */
  approvePrograms?(programs: ProjectFile): Promise<void>;
  /** Who decides where teddy may not; undefined: nobody is here. */
  person?: Person | undefined;
}

/** What is going to be done, and how. */
export interface Intent {
  project: CaptureProject;
  /** Those that somebody named, found by a glob or not. */
  named: readonly FoundPlan[];
  facts: ProjectTasks;
  graph: TaskGraph;
  overview: OrchestrationOverview;
  /** Lines of the repository's own git config that name programs which may run. */
  programs: readonly string[];
}
