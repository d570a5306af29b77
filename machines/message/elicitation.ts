/** The value of one field of a form. */
export type ElicitedValue = string | number | boolean | readonly string[];

/** A field of a form, as the JSON Schema of a flat MCP form describes it. */
export type ElicitationField = {
  /** Label for the person. Default: the name of the field. */
  readonly title?: string;
  readonly description?: string;
} & (
  | {
      readonly type: "string";
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: "email" | "uri" | "date" | "date-time";
      /** The values of a choice; `oneOf` gives each a label. */
      readonly enum?: readonly string[];
      readonly oneOf?: readonly ElicitationChoice[];
      readonly default?: string;
    }
  | {
      readonly type: "number" | "integer";
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    }
  | { readonly type: "boolean"; readonly default?: boolean }
  | {
      /** Any number of choices. */
      readonly type: "array";
      readonly items:
        | { readonly type: "string"; readonly enum: readonly string[] }
        | { readonly anyOf: readonly ElicitationChoice[] };
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    }
);

/** A value that can be chosen, and its label. */
interface ElicitationChoice {
  readonly const: string;
  readonly title: string;
}

/** The fields of a form, as MCP describes them: a flat JSON Schema. */
interface ElicitationSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, ElicitationField>>;
  readonly required?: readonly string[];
}

/** A request of a running tool call to a person. A form must not ask for a password, a token or another secret. */
export type ElicitationRequest = {
  /** Who asks, such as the name of an MCP server. */
  readonly from: string;
  /** The reason, for the person. */
  readonly message: string;
} & (
  | { readonly mode: "form"; readonly requestedSchema: ElicitationSchema }
  /** The person opens the address, and confirms. */
  | { readonly mode: "url"; readonly url: string }
);

/** The answer of a person to a request. `content`: the fields of a form, valid by its schema. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, ElicitedValue>> }
  | { readonly action: "decline" | "cancel" };

/** The text of the ask of a request: JSON of a question, which readers without elicitation show, and the request. */
export const elicitationText = (request: ElicitationRequest): string =>
  JSON.stringify({ question: questionOf(request), suggest: [], elicitation: request });

const WORDS = "`decline` or `cancel`";

function questionOf(request: ElicitationRequest): string {
  const asked = `${request.from} asks: ${request.message}`;
  if (request.mode === "url")
    return `${asked}\n${request.url}\nOpen the address, then answer \`accept\`, ${WORDS}.`;
  const { properties, required = [] } = request.requestedSchema;
  const fields = Object.entries(properties).map(
    ([name, field]) => `- ${name}: ${describeField(field)}${required.includes(name) ? "" : ", optional"}`,
  );
  return [asked, ...fields, `Answer with a JSON object of these fields, ${WORDS}.`].join("\n");
}

function describeField(field: ElicitationField): string {
  const { title, description } = field;
  const label = [title, description].filter((text) => text !== undefined).join(". ");
  return label === "" ? typeOf(field) : `${label} (${typeOf(field)})`;
}

function typeOf(field: ElicitationField): string {
  if (field.type === "array") return `any of ${choicesOf(field).join(", ")}`;
  const choices = choicesOf(field);
  return choices.length > 0 ? `one of ${choices.join(", ")}` : field.type;
}

/** The values that can be chosen; none: any value of the type. */
function choicesOf(field: ElicitationField): readonly string[] {
  if (field.type === "string") return field.enum ?? field.oneOf?.map((choice) => choice.const) ?? [];
  if (field.type !== "array") return [];
  return "enum" in field.items ? field.items.enum : field.items.anyOf.map((choice) => choice.const);
}
