import { z } from "zod";
import type { Mode, ModePermission } from "../../tools/modes/mode.ts";
import { groupSchema, groupsSchema, modesSchema, Pattern, Slug, Text } from "./schema.ts";

/** `browser` is the group `fetch` here; `modes` has no tools. */
const GroupName = z.enum(["read", "edit", "command", "mcp", "browser", "modes"]);

const NamedGroup = GroupName.transform((group) => permission(group));

/** `["edit", { fileRegex, description }]`. Roo Code restricts only edits. */
const RestrictedGroup = z
  .tuple([GroupName, z.object({ fileRegex: Pattern.exactOptional(), description: Text.exactOptional() })], {
    error: "expected a list of a group and an object with 'fileRegex' and 'description'. Correct it.",
  })
  .transform(([group, { fileRegex: pattern, ...rest }]) =>
    permission(group, pattern === undefined ? undefined : { pattern, ...rest }),
  );

type Files = Extract<ModePermission, { readonly group: "edit" }>["files"];

function permission(group: z.output<typeof GroupName>, files?: Files): ModePermission | undefined {
  if (group === "modes") return undefined;
  if (group === "browser") return { group: "fetch" };
  return group === "edit" && files !== undefined ? { group, files } : { group };
}

const RooMode = z.object({
  slug: Slug,
  name: Text,
  roleDefinition: Text,
  whenToUse: z.string().nullish(),
  description: z.string().nullish(),
  customInstructions: z.string().nullish(),
  groups: groupsSchema(groupSchema(NamedGroup, RestrictedGroup)),
});

/** The content of `.roomodes`. Other keys are ignored. */
export const RooFile = z.object({ customModes: modesSchema(RooMode).nullish() });

export const fromRooFile = ({ customModes }: z.output<typeof RooFile>): readonly Mode[] =>
  (customModes ?? []).map(toMode);

function toMode(mode: z.output<typeof RooMode>): Mode {
  const whenToUse = mode.whenToUse?.trim() || mode.description?.trim();
  const instructions = mode.customInstructions?.trim();
  return {
    slug: mode.slug,
    name: mode.name,
    role: mode.roleDefinition,
    ...(whenToUse && { whenToUse }),
    permissions: mode.groups.filter((group) => group !== undefined),
    ...(instructions && { instructions }),
  };
}
