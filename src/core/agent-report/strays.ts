import type { JsonObject, JsonPath, JsonValue } from '../json/types.js';
import { isJsonObject } from '../json/values.js';
import { type Field, METADATA_FIELDS, REPORT_FIELDS } from './fields.js';

/** The keys of a report that the contract does not know, by what they were probably meant for. */
export interface Strays {
  /** Fields that are needed and missing: where they stand under another name or in another place. */
  found: Map<string, JsonPath>;
  /** Keys at the top that belong into a `report_metadata` that is missing. */
  inner: string[];
  /** Keys at the top that belong, for all one can tell, into `findings` that are missing. */
  loose: string[];
  /** All others; `meant` is the field that they are a known name of, which may be there too. */
  unknown: { path: JsonPath; meant: JsonPath | null; beside: boolean }[];
}

/** No name of a field is longer. */
const LONGEST_KEY = 40;

interface Place {
  names: ReadonlyMap<string, Field>;
  path: JsonPath;
  holder: JsonObject | null;
}

/** Looks at each unknown key once. `isNeeded` says which fields are missed when they are not there. */
export function sortStrays(
  report: JsonObject,
  metadata: JsonObject | null,
  isNeeded: (field: Field) => boolean,
): Strays {
  const top: Place = { names: REPORT_NAMES, path: [], holder: report };
  const inside: Place = { names: METADATA_NAMES, path: ['report_metadata'], holder: metadata };
  const strays: Strays = { found: new Map(), inner: [], loose: [], unknown: [] };
  const hasMetadata = Object.hasOwn(report, 'report_metadata');

  for (const [here, there] of [
    [top, inside],
    [inside, top],
  ] as const) {
    for (const [key, value] of Object.entries(here.holder ?? {})) {
      const name = fold(key);
      if (here.names.get(name)?.key === key) continue;
      const path = [...here.path, key];
      const meant = findMeant(name, value, here) ?? findMeant(name, value, there);
      if (meant && isNeeded(meant.field) && !strays.found.has(meant.field.key)) {
        strays.found.set(meant.field.key, path);
      } else if (here === top && !hasMetadata && METADATA_NAMES.has(name)) {
        strays.inner.push(key);
      } else if (here === top && !Object.hasOwn(report, 'findings')) {
        strays.loose.push(key);
      } else {
        const other = meant ?? asSpare(here.names.get(name), here);
        strays.unknown.push({
          path,
          meant: other && [...other.place.path, other.field.key],
          beside: meant === null,
        });
      }
    }
  }
  // Where the object stands under another name, what else is at the top does not belong into it.
  const besides = [
    ...(strays.found.has('report_metadata') ? strays.inner.splice(0) : []),
    ...(strays.found.has('findings') ? strays.loose.splice(0) : []),
  ];
  for (const key of besides) strays.unknown.push({ path: [key], meant: null, beside: false });
  return strays;
}

/** The field of a place that is not there, and that a key was probably meant for. */
function findMeant(name: string, value: JsonValue, place: Place): { field: Field; place: Place } | null {
  const field = place.names.get(name);
  if (!field || place.holder === null || Object.hasOwn(place.holder, field.key)) return null;
  return field.kind !== 'object' || isJsonObject(value) ? { field, place } : null;
}

function asSpare(field: Field | undefined, place: Place): { field: Field; place: Place } | null {
  return field && field.kind !== 'object' ? { field, place } : null;
}

/** All fields, by every name that they are known to get. */
function nameFields(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.flatMap((field) => [field.key, ...field.alias].map((name) => [fold(name), field])));
}

/** `agentName`, `Agent-Name` and `agent_name` are one. */
function fold(key: string): string {
  return key.length > LONGEST_KEY ? '' : key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const REPORT_NAMES = nameFields(REPORT_FIELDS);
const METADATA_NAMES = nameFields(METADATA_FIELDS);
