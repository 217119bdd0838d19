import type { SchemaProblem } from '../../json/schema/types.js';
import type { JsonObject, JsonPath } from '../../json/types.js';
import type { Definitions, Field, LiteralShape, Shape } from './shape.js';
import type { Distinctions } from './tell-apart.js';

/** Levels within one piece of the schema; what is deeper becomes a definition. */
const MOST_LEVELS = 7;

const NULL: JsonObject = { type: 'null' };

/** A schema and how many levels of schemas are below it. */
interface Written {
  schema: JsonObject;
  levels: number;
}

/** The schema of a strict service for a shape that is an object. */
export function writeStrictSchema(
  root: Shape,
  definitions: Definitions,
  { choiceOf, mayBeNull, absentKeyOf }: Distinctions,
): { schema: JsonObject; problems: SchemaProblem[] } {
  const problems: SchemaProblem[] = [];
  const written: JsonObject = {};

  const write = (shape: Shape, path: JsonPath): Written => {
    const own = writeAlternatives(shape, path);
    const whole = own.length === 1 ? own[0]! : anyOf(own);
    return split(describe(whole, shape.about));
  };

  /** One for each alternative of a union, otherwise one. */
  const writeAlternatives = (shape: Shape, path: JsonPath): Written[] => {
    switch (shape.kind) {
      case 'leaf':
        return [leaf({ type: shape.type, ...shape.limits })];
      case 'literal':
        return [leaf(writeLiteral(shape))];
      case 'json':
        return [leaf({ description: FORMS[shape.holds], type: 'string' })];
      case 'list': {
        const items = write(shape.items, [...path, 'items']);
        return [above([items], { type: 'array', items: items.schema, ...counts(shape) })];
      }
      case 'map': {
        const entry = writeObject([
          { name: 'key', ...write(shape.key, path) },
          { name: 'value', ...write(shape.value, [...path, 'additionalProperties']) },
        ]);
        return [above([entry], { type: 'array', items: entry.schema, ...counts(shape) })];
      }
      case 'tuple':
      case 'object': {
        const fields = shape.fields.map((field) => ({
          name: field.name,
          ...writeField(field, [...path, 'properties', field.name]),
        }));
        const rest = shape.rest
          ? [{ name: shape.rest.name, ...write(shape.rest.shape, [...path, 'additionalProperties']) }]
          : [];
        return [writeObject([...fields, ...rest])];
      }
      case 'union':
        return shape.alternatives.map((inner, index) => {
          const choice = choiceOf(shape, index);
          const own = write(inner, [...path, 'anyOf', index]);
          return choice === null ? own : writeObject([{ name: choice, ...own }]);
        });
      case 'reference':
        return [leaf({ $ref: `#/$defs/${shape.name}` })];
      case 'never':
        problems.push({
          path,
          message: 'Nothing at all is allowed here, and a strict schema cannot say so.',
        });
        return [leaf(NULL)];
    }
  };

  const writeField = ({ shape, required }: Field, path: JsonPath): Written => {
    if (required) return write(shape, path);
    const own = writeAlternatives(shape, path).map(split);
    if (!mayBeNull(shape))
      return describe(anyOf([...own, leaf(NULL)]), join(shape.about, 'null leaves it out.'));
    const key = absentKeyOf(shape);
    const absent = writeObject([{ name: key, ...leaf({ type: 'boolean', enum: [true] }) }]);
    return describe(anyOf([...own, absent]), join(shape.about, `{"${key}": true} leaves it out.`));
  };

  /** No piece may be deeper than a service takes; a reference begins anew. */
  const split = (own: Written): Written => {
    if (own.levels < MOST_LEVELS) return own;
    let count = 1;
    while (Object.hasOwn(written, `part_${count}`) || definitions.has(`part_${count}`)) count++;
    written[`part_${count}`] = own.schema;
    return leaf({ $ref: `#/$defs/part_${count}` });
  };

  const [top] = writeAlternatives(root, []);
  for (const [name, shape] of definitions) {
    const own = writeAlternatives(shape, ['$defs', name]);
    const whole = own.length === 1 ? own[0]! : anyOf(own.map(split));
    written[name] = describe(whole, shape.about).schema;
  }
  const schema = describe(top!, root.about).schema;
  if (Object.keys(written).length > 0) schema.$defs = written;
  return { schema, problems };
}

const leaf = (schema: JsonObject): Written => ({ schema, levels: 0 });

function above(inner: readonly Written[], schema: JsonObject): Written {
  return { schema, levels: 1 + Math.max(...inner.map(({ levels }) => levels)) };
}

function writeObject(fields: readonly (Written & { name: string })[]): Written {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const required = fields.map(({ name }) => name);
  return above(fields, { type: 'object', properties, required, additionalProperties: false });
}

function anyOf(alternatives: readonly Written[]): Written {
  return above(alternatives, { anyOf: alternatives.map(({ schema }) => schema) });
}

function writeLiteral({ type, values, asText }: LiteralShape): JsonObject {
  if (!asText) return { type, enum: values };
  return { description: FORMS.literal, type, enum: values.map((value) => JSON.stringify(value)) };
}

function counts({ least, most }: { least: number | null; most: number | null }): JsonObject {
  return { ...(least === null ? {} : { minItems: least }), ...(most === null ? {} : { maxItems: most }) };
}

/** A reference has nothing beside it, words neither. */
function describe({ schema, levels }: Written, about: string | null): Written {
  if (about === null || Object.hasOwn(schema, '$ref')) return { schema, levels };
  const { description = null, ...rest } = schema;
  return { schema: { description: join(about, description as string | null)!, ...rest }, levels };
}

/** How values are carried that look otherwise in the report. */
const FORMS = {
  anything: 'Any JSON value, written as a text.',
  object: 'A JSON object, written as a text.',
  literal: 'JSON, written as a text.',
};

function join(...words: (string | null)[]): string | null {
  return words.filter((word) => word !== null).join(' ') || null;
}
