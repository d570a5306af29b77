import type { CallPath } from "../../machines/tool-call/call.ts";
import { parseGlob, spellingsOf } from "../policy/path-glob.ts";
import { INTENTS_FILE, type Intent } from "./intent.ts";

/** Files that no intent owns: they say what is owned. */
const NEVER_OWNED = parseGlob(".orchestration/**");

/**
 * The first path that the intent does not own; undefined if it owns all. A path counts as it is given and with every
 * symlink followed, and in its exact case.
 */
export function pathOutside(
  { ownedScope }: Pick<Intent, "ownedScope">,
  workspace: string,
  paths: readonly CallPath[],
): string | undefined {
  const globs = ownedScope.flatMap((text) => parseGlob(text) ?? []);
  return paths.find((path) => {
    const spellings = spellingsOf(workspace, path);
    const isOwned = path.inside && globs.some((glob) => glob.covers(spellings));
    return !isOwned || NEVER_OWNED?.touches(spellings) === true;
  })?.path;
}

/** A clause that says which paths the intent owns. */
export function formatScope({ id, ownedScope }: Intent): string {
  return ownedScope.length === 0
    ? `the intent ${id} owns no file`
    : `the intent ${id} owns ${ownedScope.join(", ")} alone`;
}

/** The rule that refuses a write outside the scope, for messages. */
export const scopeRule = ({ id }: Intent): string => `owned_scope of ${id} in ${INTENTS_FILE}`;
