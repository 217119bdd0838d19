import { Foreign } from '../parts/foreign.js';

/** A diff that came as text. */
export function UnifiedDiff({ text }: { text: string }) {
  return (
    <pre class="unified">
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, at) => (
          <div key={at} class={classOf(line)}>
            <Foreign text={line} />
            {line === '' && '\u200b'}
          </div>
        ))}
    </pre>
  );
}

function classOf(line: string): string {
  if (/^(?:\+\+\+|---|@@|diff |index )/.test(line)) return 'muted';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : '';
}
