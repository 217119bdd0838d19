import { kindOfDiffLine } from '../../../../core/changeset/diff-rows.js';
import { Foreign } from '../parts/foreign.js';

/** A diff that came as text. */
export function UnifiedDiff({ text }: { text: string }) {
  return (
    <pre class="unified">
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, at) => (
          <div key={at} class={kindOfDiffLine(line)}>
            <Foreign text={line} />
            {line === '' && '\u200b'}
          </div>
        ))}
    </pre>
  );
}
