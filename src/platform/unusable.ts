/**
 * The input or the environment cannot serve. `message` is one whole sentence for the person; faces
 * print it and end with exit code 2.
 */
export class Unusable extends Error {
  override name = 'Unusable';
}
