/** A value that was read, or why it cannot be; `reason` completes the sentence "<key> …". */
export type Taken<T> = { status: 'ok'; value: T } | { status: 'refused'; reason: string };
