import { ObjectError } from "./error.ts";

/**
 * A folder of the closed set, then one lower-case name that does not begin with a dot: no name leaves the folder, meets
 * another file of the task, or differs from another one only in case.
 */
const OBJECT_NAME = /^(?:output|checkpoints)\/[a-z0-9][a-z0-9._-]{0,199}$/;

/** Whether a text is a valid name of an object. */
export const isObjectName = (name: string): boolean => OBJECT_NAME.test(name);

/** @throws ObjectError `OBJECT_NAME` */
export function assertObjectName(name: string, taskPath: string): void {
  if (isObjectName(name)) return;
  throw new ObjectError(
    "OBJECT_NAME",
    taskPath,
    `Expected "output/" or "checkpoints/", then 1 to 200 lower-case letters, digits, ".", "_" and "-", not starting with ".", got ${JSON.stringify(name.slice(0, 250))}. Choose another name.`,
  );
}
