import { ApiError } from "../protocol/index.ts";

/** The page of models, or one of them: any name is a model here. @throws ApiError 404 for a name that is no text */
export function modelsAt(path: string): object {
  const name = path.slice("/v1/models/".length);
  if (name !== "") return modelOf(decoded(name));
  return { data: [modelOf("mock")], has_more: false, first_id: "mock", last_id: "mock" };
}

const modelOf = (id: string) => ({
  type: "model",
  id,
  display_name: id,
  created_at: "2026-01-01T00:00:00Z",
});

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new ApiError(404, `model: ${name}`);
  }
}
