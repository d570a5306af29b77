import type { BytePath } from "./paths.ts";

/** The change that a restore makes to one file. */
export interface Change {
  readonly file: BytePath;
  readonly kind: "added" | "changed" | "removed";
  /** The git mode that the file gets: `100644`, `100755` or `120000`. */
  readonly mode: string;
  /** Hash of its content in the store. */
  readonly object: string;
  /** The file as it is now. The mode of a file that does not exist is `000000`. */
  readonly present: Pick<Change, "mode" | "object">;
}
