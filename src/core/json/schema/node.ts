import { ANY, kindOf } from './kinds.js';
import type { Check, Node, Rule } from './model.js';
import { holds, sortByKind, takeFacts } from './quick.js';
import { descend, isOver } from './run.js';

const NOTHING_SAID = takeFacts([]);
const holdAlways: Check = () => true;

/** A schema that nothing is known of yet. */
export function emptyNode(): Node {
  return { check: holdAlways, admits: ANY, quick: NOTHING_SAID };
}

/** Makes a schema of its rules. A value only meets those that have a say in its kind. */
export function fillNode(node: Node, rules: readonly Rule[]): void {
  if (rules.length === 0) return;
  const quick = takeFacts(rules);
  // A value of another type is one fault; what else is said of it would only say the same again.
  const isType = (rule: Rule) => rule.facts?.types !== undefined;
  const wellTyped = rules
    .filter((rule) => !isType(rule))
    .map((rule) => ({ ...rule, kinds: rule.kinds & quick.types }));
  const checksOf = sortByKind([...rules.filter(isType), ...wellTyped]);
  node.admits = rules.reduce((kinds, rule) => kinds & (rule.admits?.() ?? ANY), ANY);
  node.quick = quick;
  node.check = (value, run) => {
    if (run.quiet) return holds(quick, value, run);
    let good = descend(run);
    for (const check of good ? checksOf[kindOf(value)]! : []) {
      if (check(value, run)) continue;
      good = false;
      if (isOver(run)) break;
    }
    run.depth--;
    return good;
  };
}

/** Makes a schema the same as another. */
export function copyNode(node: Node, { check, admits, quick }: Node): void {
  Object.assign(node, { check, admits, quick });
}
