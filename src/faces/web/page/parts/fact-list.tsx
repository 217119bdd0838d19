import { Foreign } from './foreign.js';

export type Fact = readonly [name: string, value: string];

/** Names and values, one below the other. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(([name, value], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>
            <Foreign text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
