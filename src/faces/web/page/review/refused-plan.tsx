import type { RunView } from '../../api.js';
import { CopyButton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { asPlainLine, countNoun } from '../parts/words.js';

/** A plan that was not run: what is wrong, where, and what to send back to the agent. */
export function RefusedRun({ run }: { run: RunView }) {
  const errors = run.issues.filter(({ severity }) => severity === 'error');
  const others = run.issues.filter(({ severity }) => severity !== 'error');
  return (
    <section class="refused">
      <div class="refused-head">
        <p>
          <strong>Nothing was run.</strong> The plan has {countNoun(errors.length, 'error')}.
        </p>
        {run.feedback !== null && (
          <CopyButton kind="primary" text={run.feedback}>
            Copy the feedback for the agent
          </CopyButton>
        )}
      </div>
      <ul class="issues" aria-label="Problems">
        {[...errors, ...others].map((issue, at) => (
          <li key={at} class={issue.severity}>
            <Icon name={issue.severity === 'error' ? 'cross' : 'warning'} />
            <span class="issue-line mono">{issue.line === undefined ? '' : `line ${issue.line}`}</span>
            <div>
              <p>
                <Foreign text={issue.message} />
              </p>
              {issue.hint !== undefined && (
                <p class="muted issue-hint">
                  <Foreign text={issue.hint} />
                </p>
              )}
              <code class="muted">{asPlainLine(issue.code)}</code>
            </div>
          </li>
        ))}
      </ul>
      {run.feedback !== null && (
        <details>
          <summary>The feedback</summary>
          <pre class="block">
            <Foreign text={run.feedback} />
          </pre>
        </details>
      )}
    </section>
  );
}
