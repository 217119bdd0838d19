import type { ComponentChildren } from 'preact';
import type { AttemptFacts, AttemptView } from '../../api.js';
import { Foreign, PathText } from '../parts/foreign.js';
import { asPlainLine, inDollars, shortTime } from '../parts/words.js';
import { TaskStatusChip } from './task-status.js';

interface AttemptCardProps {
  attempt: AttemptView;
  /** Undefined while they are loaded. */
  facts: AttemptFacts | undefined;
  isLast: boolean;
}

/** What the executor said beside what git and the verification say. */
export function AttemptCard({ attempt, facts, isLast }: AttemptCardProps) {
  const { claimed, effective } = attempt;
  const differs = claimed !== null && effective !== null && claimed !== effective;
  return (
    <section class={`attempt ${differs ? 'differs' : ''}`} aria-label={`Attempt ${attempt.attempt}`}>
      <p class="attempt-head">
        <strong>Attempt {attempt.attempt}</strong>
        <span class="muted">{describeAttempt(attempt)}</span>
      </p>
      <dl class="claim">
        <Said name="Claim" status={claimed} otherwise="no result">
          <FileNames
            label="Files that the executor claims"
            files={facts?.filesClaimed}
            others={facts?.filesChanged}
            remark="not changed"
          />
        </Said>
        <Said name="Fact" status={effective} otherwise="not known yet">
          {attempt.verification !== null && (
            <p class="verification">
              <Foreign text={attempt.verification} />
            </p>
          )}
          <FileNames
            label="Files that git says were changed"
            files={facts?.filesChanged}
            others={facts?.filesClaimed}
            remark="not claimed"
          />
        </Said>
      </dl>
      {attempt.reason !== null && (
        <p>
          <Foreign text={attempt.reason} />
        </p>
      )}
      {facts?.lastOutput != null && (
        <details open={isLast}>
          <summary>Last output</summary>
          <pre class="block last-output">
            <Foreign text={facts.lastOutput} />
          </pre>
        </details>
      )}
    </section>
  );
}

function describeAttempt({ executor, durationMs, costUsd }: AttemptView): string {
  return [
    executor === null ? null : asPlainLine(executor),
    durationMs === null ? null : shortTime(durationMs),
    costUsd === null ? null : inDollars(costUsd),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

interface SaidProps {
  name: string;
  status: string | null;
  otherwise: string;
  children: ComponentChildren;
}

function Said({ name, status, otherwise, children }: SaidProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {status === null ? <span class="muted">{otherwise}</span> : <TaskStatusChip status={status} />}
        {children}
      </dd>
    </div>
  );
}

const MOST_FILES = 20;

interface FileNamesProps {
  label: string;
  files: readonly string[] | null | undefined;
  /** What the other side names. */
  others: readonly string[] | null | undefined;
  /** Of a file that the other side does not name. */
  remark: string;
}

function FileNames({ label, files, others, remark }: FileNamesProps) {
  if (files == null) return null;
  if (files.length === 0) return <p class="muted">no files</p>;
  const named = others && new Set(others.map(plainPath));
  const more = files.length - MOST_FILES;
  return (
    <ul class="plain-list file-names" aria-label={label}>
      {files.slice(0, MOST_FILES).map((file, at) => (
        <li key={at}>
          <PathText path={file} />
          {named && !named.has(plainPath(file)) && <span class="remark">{remark}</span>}
        </li>
      ))}
      {more > 0 && <li class="muted">and {more} more</li>}
    </ul>
  );
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '');
}
