import { z } from "zod";
import type { Mode, ModePermission } from "../../tools/modes/mode.ts";
import { groupSchema, groupsSchema, modesSchema, Pattern, Slug, Text } from "./schema.ts";

const GroupName = z
  .enum(["read", "edit", "command", "fetch", "mcp"])
  .transform((group): ModePermission => ({ group }));

const EXPECTED_EDIT = "expected 'edit' with 'files' and 'description'. Correct it.";

const RestrictedEdit = z
  .strictObject(
    {
      edit: z.strictObject(
        { files: Pattern, description: Text.exactOptional() },
        { error: ({ code }) => (code === "unrecognized_keys" ? EXPECTED_EDIT : undefined) },
      ),
    },
    { error: EXPECTED_EDIT },
  )
  .transform(
    ({ edit: { files, ...rest } }): ModePermission => ({
      group: "edit",
      files: { pattern: files, ...rest },
    }),
  );

const OwnMode = z.strictObject({
  slug: Slug,
  name: Text,
  role: Text,
  whenToUse: Text.exactOptional(),
  groups: groupsSchema(groupSchema(GroupName, RestrictedEdit)),
  instructions: Text.exactOptional(),
});

/** The content of `.signalbox/modes.yaml`. */
export const OwnFile = z.strictObject({ version: z.literal(1), modes: modesSchema(OwnMode) });

export const fromOwnFile = ({ modes }: z.output<typeof OwnFile>): readonly Mode[] =>
  modes.map(({ groups, ...mode }) => ({ ...mode, permissions: groups }));
