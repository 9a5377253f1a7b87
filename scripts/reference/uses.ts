import type { Use } from "./read.ts";

/** As much of a syntax tree as is looked at. */
interface Tree {
  type?: string;
  name?: string;
  left?: Tree;
  typeName?: Tree;
  exprName?: Tree;
  expression?: Tree;
  superClass?: Tree | null;
  source?: { value?: string };
  qualifier?: Tree | null;
}

/** Every name that a declaration refers to, in types and behind `extends` and `implements`. */
export function usesIn(tree: object): Use[] {
  const uses: Use[] = [];
  for (const use of usesOf(tree as Tree)) if (use !== undefined) uses.push(use);
  for (const child of Object.values(tree)) {
    if (typeof child === "object" && child !== null) uses.push(...usesIn(child));
  }
  return uses;
}

function usesOf({
  type,
  typeName,
  exprName,
  expression,
  superClass,
  source,
  qualifier,
}: Tree): (Use | undefined)[] {
  if (type === "TSTypeReference") return [named(typeName)];
  if (type === "TSTypeQuery") return [named(exprName)];
  if (type === "TSClassImplements" || type === "TSInterfaceHeritage") return [named(expression)];
  if (type === "ClassDeclaration") return [named(superClass)];
  const use = type === "TSImportType" ? named(qualifier) : undefined;
  return use === undefined || source?.value === undefined ? [] : [{ ...use, from: source.value }];
}

/** The first of names with dots between them. */
function named(tree: Tree | null | undefined): Use | undefined {
  if (tree?.left !== undefined) return named(tree.left);
  return tree?.name === undefined ? undefined : { name: tree.name };
}
