import { type AnyTool, tool } from "@toolrig/core";

/** Services with what they hold: the word in the tool's name, and how its description calls it. */
const SERVICES: Record<string, Record<string, string>> = {
  github: {
    repository: "source code repository",
    issue: "bug report or feature request",
    pull_request: "proposed code change for review",
    release: "published version with notes",
  },
  jira: {
    ticket: "work item on a board",
    sprint: "time-boxed iteration",
    epic: "large body of work",
    project: "project space for a team",
  },
  slack: {
    message: "chat message in a channel",
    channel: "conversation space for a team",
    reminder: "scheduled nudge",
    user: "workspace member",
  },
  gmail: {
    email: "mail in the mailbox",
    draft: "unsent mail",
    label: "mailbox category",
    filter: "rule for incoming mail",
  },
  calendar: {
    event: "meeting or appointment",
    availability: "free time slot",
    invite: "request to attend a meeting",
    room: "bookable meeting place",
  },
  drive: {
    file: "stored document",
    folder: "directory of documents",
    permission: "sharing right on a document",
    comment: "remark on a document",
  },
  stripe: {
    payment: "card charge",
    invoice: "bill sent to a customer",
    subscription: "recurring billing agreement",
    refund: "money returned to a customer",
  },
  shopify: {
    product: "item for sale in the store",
    order: "purchase by a shopper",
    discount: "price reduction code",
    inventory: "stock level of an item",
  },
  salesforce: {
    lead: "potential customer",
    opportunity: "possible deal with its value",
    account: "company record",
    contact: "person at a company",
  },
  zendesk: {
    case: "customer support request",
    macro: "canned support reply",
    agent: "support employee",
    survey: "satisfaction questionnaire",
  },
  aws: {
    bucket: "object storage container",
    instance: "virtual machine",
    function: "serverless piece of code",
    alarm: "metric threshold notification",
  },
  kubernetes: {
    pod: "running container group",
    deployment: "rollout of a workload",
    secret: "stored credential",
    namespace: "cluster partition",
  },
  postgres: {
    table: "relational data table",
    row: "record in a table",
    index: "lookup structure for faster queries",
    backup: "database dump",
  },
  weather: {
    forecast: "prediction of temperature and rain",
    alert: "storm or flood warning",
    station: "place that measures climate",
    radar: "precipitation image",
  },
  maps: {
    route: "driving or walking directions",
    place: "address or point of interest",
    traffic: "congestion on roads",
    geocode: "coordinates of an address",
  },
  flights: {
    booking: "airline reservation",
    fare: "ticket price",
    seat: "place on board an aircraft",
    delay: "late departure or arrival",
  },
  hotels: {
    reservation: "overnight stay",
    rate: "price per night",
    review: "guest opinion",
    amenity: "facility such as a pool",
  },
  spotify: {
    playlist: "list of songs",
    track: "song",
    album: "collection of songs by an artist",
    podcast: "spoken audio show",
  },
  notion: {
    page: "wiki page",
    database: "structured collection of pages",
    block: "piece of content on a page",
    template: "reusable page layout",
  },
  twitter: {
    post: "short public text",
    follower: "person who subscribes to an account",
    trend: "popular topic",
    list: "curated set of accounts",
  },
  bank: {
    transfer: "movement of money between accounts",
    statement: "summary of transactions",
    card: "debit or credit card",
    loan: "borrowed amount",
  },
  hr: {
    employee: "person employed by the company",
    leave: "time off or vacation",
    payslip: "salary document",
    candidate: "job applicant",
  },
  fitness: {
    workout: "training session",
    goal: "target for steps or weight",
    meal: "logged food",
    sleep: "night rest measurement",
  },
  smarthome: {
    light: "lamp",
    thermostat: "heating and cooling control",
    camera: "security video device",
    lock: "door lock",
  },
  translation: {
    text: "text in another language",
    glossary: "list of preferred terms",
    document: "whole document in another language",
    voice: "spoken words in another language",
  },
};

interface Verb {
  describe(thing: string, what: string, service: string): string;
  parameters(thing: string): string[];
}

const article = (thing: string) => (/^[aeiou]/.test(thing) ? "an" : "a");

const VERBS: Record<string, Verb> = {
  create: {
    describe: (thing, what, service) =>
      `Create a new ${thing} in ${service}: ${article(what)} ${what}. Adds it and returns its id.`,
    parameters: (thing) => ["title", "description", `${thing}_type`],
  },
  list: {
    describe: (thing, what, service) =>
      `List all ${thing} entries in ${service}, each ${article(what)} ${what}, newest first, with paging.`,
    parameters: () => ["limit", "cursor"],
  },
  get: {
    describe: (thing, what, service) =>
      `Get the details of one ${thing} in ${service} by id, ${article(what)} ${what}.`,
    parameters: (thing) => [`${thing}_id`],
  },
  update: {
    describe: (thing, what, service) =>
      `Update an existing ${thing} in ${service}: change or edit the fields of ${article(what)} ${what}.`,
    parameters: (thing) => [`${thing}_id`, "changes"],
  },
  delete: {
    describe: (thing, what, service) =>
      `Delete a ${thing} from ${service}. Permanently removes ${article(what)} ${what}.`,
    parameters: (thing) => [`${thing}_id`, "confirm"],
  },
};

function make(name: string, description: string, parameters: readonly string[], weight: number): AnyTool {
  return tool({
    name,
    description,
    input: { type: "object", properties: Object.fromEntries(parameters.map((each) => [each, {}])) },
    preference: { weight },
    execute: () => "ok",
  });
}

/** Five verbs for a hundred kinds of things, and for every fourth an older twin that should not be chosen. */
export function manyTools(): AnyTool[] {
  const tools: AnyTool[] = [];
  for (const [service, things] of Object.entries(SERVICES)) {
    for (const [thing, what] of Object.entries(things)) {
      for (const [verb, { describe, parameters }] of Object.entries(VERBS)) {
        const description = describe(thing.replaceAll("_", " "), what, service);
        tools.push(make(`${service}_${verb}_${thing}`, description, parameters(thing), 1));
        if (tools.length % 4 !== 0) continue;
        for (const old of ["legacy", "beta", "internal", "bulk", "async"]) {
          tools.push(make(`${service}_${verb}_${thing}_${old}`, description, parameters(thing), 0.3));
        }
      }
    }
  }
  return tools;
}

/** Tools of no particular meaning, to make a set as large as wanted. */
export function filler(count: number): AnyTool[] {
  const word = (seed: number) =>
    ["amber", "birch", "cobalt", "delta", "ember", "fjord", "grove", "harbor", "iris", "juniper"][seed % 10]!;
  return Array.from({ length: count }, (_, index) => {
    const words = [index, Math.floor(index / 10), Math.floor(index / 100), Math.floor(index / 1_000)].map(
      word,
    );
    return make(
      `${words.join("_")}_${index}`,
      `Handle ${words.join(" and ")} records number ${index} for a team`,
      ["id", words[0]!],
      1,
    );
  });
}
