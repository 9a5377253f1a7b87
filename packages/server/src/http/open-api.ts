import type { JsonSchema } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { COMPONENTS } from "../schemas/components.ts";
import { ref } from "../schemas/shape.ts";
import type { Answered, Need, Route } from "./route.ts";

const PROBLEM = {
  description: "Why it was not done",
  content: { "application/problem+json": { schema: ref("Problem") } },
};

const NEEDS: Record<Need, string> = {
  read: "Needs the scope `read`.",
  call: "Needs the scope `call`, or one that names tools.",
  run: "Needs the scope `call`: a run may call every tool.",
  tools: "Needs the scope `read` or `call`.",
  own: "Needs the scope `read`; of what one has made oneself, any scope to call.",
  approve: "Needs the scope `approve`.",
  admin: "Needs the scope `admin`.",
  nothing: "Needs no token of the server.",
};

/** The routes as an OpenAPI 3.1 document: what checks requests is what it says. */
export function openApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolrig",
      version,
      description:
        "Tools, calls, runs and records of a rig. Times are epoch milliseconds, durations milliseconds.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: COMPONENTS,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "Made by toolrig token new. Not needed on loopback without tokens.",
        },
      },
    },
    security: [{ token: [] }, {}],
  };
}

function operationOf(route: Route): object {
  const { id, tag, summary, description, needs, body, bodyOptional = false, answers } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, NEEDS[needs]].filter((each) => each !== undefined).join("\n\n"),
    ...(needs === "nothing" && { security: [{}] }),
    parameters: parametersOf(route),
    ...(body !== undefined && {
      requestBody: { required: !bodyOptional, content: { "application/json": { schema: body } } },
    }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
      default: PROBLEM,
    },
  };
}

function parametersOf({ path, query = {}, headers = {} }: Route): object[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const asked = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...defined({ description }),
    schema,
  }));
  const sent = Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  }));
  return [...named, ...asked, ...sent];
}

function responseOf(answer: Answered): object {
  const { description, schema, type = "application/json", otherTypes = [], headers } = answer;
  const told = headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [
        name,
        { description: text, schema: { type: "string" } },
      ]),
    ),
  };
  return {
    description,
    ...told,
    ...(schema !== undefined && {
      content: Object.fromEntries(
        [type, ...otherTypes].map((each) => [each, { schema: shownAs(each, schema) }]),
      ),
    }),
  };
}

/** Of a stream of events, each message is one; the stream itself is text. */
function shownAs(type: string, schema: JsonSchema): JsonSchema {
  return type === "text/event-stream"
    ? { type: "string", description: `Data of its events: ${String(schema.$ref)}` }
    : schema;
}
