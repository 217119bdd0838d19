import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TaskBoard, TaskCard, TaskDetail } from '../../api.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { linkTo } from '../route.js';
import { inbox, useLoaded } from '../store.js';
import { AttemptCard } from './attempt-card.js';
import { TaskAnswer } from './task-answer.js';
import { allTasks, TaskStatusChip } from './task-status.js';

/** One task: its question, claim against fact, attempts, dependencies, files. */
export function TaskPanel({ task, board }: { task: TaskCard; board: TaskBoard }) {
  const question = inbox.value?.questions.find(({ id }) => id === task.question);
  const { value: detail } = useLoaded<TaskDetail>(`/api/tasks/${encodeURIComponent(task.id)}`);
  const factsOf = (number: number) => detail?.attempts.find(({ attempt }) => attempt === number);
  const panel = useRef<HTMLElement>(null);
  useFocusWhileShown(panel);
  const [last, ...earlier] = task.attempts.toReversed();
  const waiting = allTasks(board).filter(({ dependsOn }) => dependsOn.includes(task.id));
  return (
    <aside class="task-panel scroller" aria-label="Task" tabIndex={-1} ref={panel}>
      <header>
        <div class="task-card-top">
          <span class="mono muted">
            <Foreign text={task.id} />
          </span>
          <TaskStatusChip status={task.status} />
          <a class="button quiet close" href={linkTo('tasks')} aria-label="Close">
            <Icon name="cross" />
          </a>
        </div>
        <h2>
          <Foreign text={task.name} />
        </h2>
        <p class="muted mono">
          <Foreign text={task.plan} />
        </p>
      </header>
      {question?.kind === 'task' && <TaskAnswer question={question} />}
      {last === undefined ? (
        <p class="muted">No attempts yet</p>
      ) : (
        <AttemptCard key={last.attempt} attempt={last} facts={factsOf(last.attempt)} isLast />
      )}
      <dl class="task-facts">
        {task.verify !== null && (
          <Fact name="Verify">
            <code>
              <Foreign text={task.verify} />
            </code>
          </Fact>
        )}
        {task.dependsOn.length > 0 && (
          <Fact name="Depends on">
            <TaskLinks ids={task.dependsOn} />
          </Fact>
        )}
        {waiting.length > 0 && (
          <Fact name="Needed by">
            <TaskLinks ids={waiting.map(({ id }) => id)} />
          </Fact>
        )}
        {task.files.length > 0 && (
          <Fact name="Files">
            <ul class="plain-list mono">
              {task.files.map((file) => (
                <li key={file}>
                  <Foreign text={file} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
      {earlier.length > 0 && <h3>Earlier attempts</h3>}
      {earlier.map((attempt) => (
        <AttemptCard
          key={attempt.attempt}
          attempt={attempt}
          facts={factsOf(attempt.attempt)}
          isLast={false}
        />
      ))}
    </aside>
  );
}

/** The next Tab goes into the panel, and back to where the user was once it is closed. */
function useFocusWhileShown(panel: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const shown = panel.current!;
    const before = document.activeElement as HTMLElement | null;
    shown.focus({ preventScroll: true });
    return () => {
      if (shown.contains(document.activeElement)) before?.focus({ preventScroll: true });
    };
  }, []);
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function TaskLinks({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.map((id) => (
        <a key={id} class="mono task-link" href={linkTo('tasks', id)}>
          <Foreign text={id} />
        </a>
      ))}
    </>
  );
}
