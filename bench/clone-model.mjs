// What the clones of a repository may know of the formulas on a service: finds lost changes, false conflicts, duplicates,
// and marks without a reason. Each version of a formula has a number of its own in its code.

export const versionIn = (code) => Number(/\/\/ v(\d+)/.exec(code ?? '')?.[1] ?? Number.NaN);
export const codeOf = (name, version) =>
  `module.exports = async () => ({ raw: { formula: ${JSON.stringify(name)} } });\n// v${version}\n`;

/** The versions that a folder of a clone and the service had in common, as far as the clone can know. */
class Common {
  /** Of the last push or pull that ended and named the folder; undefined before it. */
  acknowledged = undefined;
  /** Sent since then. */
  sent = new Set();
  /** Found equal by a push that was killed, which may have recorded it. */
  equal = new Set();

  acknowledge(version) {
    this.acknowledged = version;
    this.sent.clear();
  }

  has = (version) => version === this.acknowledged || this.sent.has(version);
}

/** Watches the service of `formulas`. `problems` are what the tool must not do; `counts` are what happened. */
export class Model {
  problems = [];
  counts = {
    pushes: 0,
    killed: 0,
    pulls: 0,
    writes: 0,
    created: 0,
    adopted: 0,
    conflicts: 0,
    overwrites: 0,
    byHand: 0,
  };
  #formulas;
  #commons = new Map();
  #runs = new Map();

  constructor(formulas) {
    this.#formulas = formulas;
  }

  remoteVersion = (name) => versionIn(this.#formulas.find((formula) => formula.name === name)?.code);

  #common(clone, name) {
    const key = `${clone.key} ${name}`;
    const common = this.#commons.get(key) ?? new Common();
    this.#commons.set(key, common);
    return common;
  }

  #isKnown = (clone, name, version) =>
    this.#common(clone, name).has(version) || clone.committedVersions(name).includes(version);

  /** An older version than the one of the last push or pull is a rollback by others. */
  #isRollback(clone, name, version) {
    const common = this.#common(clone, name);
    const committed = clone.committedVersions(name);
    return !common.has(version) && committed.slice(committed.indexOf(common.acknowledged) + 1).includes(version);
  }

  #describe(clone, name) {
    const { acknowledged, sent } = this.#common(clone, name);
    return `(acknowledged v${acknowledged}; sent ${[...sent]}; committed ${clone.committedVersions(name)})`;
  }

  /** A push or pull begins. `isShared`: another clone pushes at the same time. */
  begin(clone, label, { force = false, isShared = false } = {}) {
    const local = new Map(clone.names().map((name) => [name, clone.version(name)]));
    const remote = new Map([...local.keys()].map((name) => [name, this.remoteVersion(name)]));
    const run = { clone, label, force, isShared, local, remote, replaced: new Map() };
    this.#runs.set(clone.key, run);
    return run;
  }

  /** A write that reached the service. */
  onWrite({ key, method, before, after }) {
    this.counts.writes += 1;
    const run = this.#runs.get(key);
    if (!run) return;
    const { clone, label, replaced } = run;
    const { name } = after;
    const [old, version] = [versionIn(before?.code), versionIn(after.code)];
    if (method === 'POST') {
      this.counts.created += 1;
      if (this.#formulas.some((formula) => formula.name === name)) this.problems.push(`${label}: TWICE ${name}`);
    } else if (old !== version && !this.#isKnown(clone, name, old)) replaced.set(name, { old, version });
    this.#common(clone, name).sent.add(version);
  }

  endPush(run, { code, document, stderr }) {
    const { clone, label, local } = run;
    this.#runs.delete(clone.key);
    this.counts.pushes += 1;
    if (code === null) this.#endKilled(run);
    else if (![0, 6, 7, 8, 9].includes(code)) this.problems.push(`${label}: EXIT ${code}: ${stderr.slice(0, 300)}`);
    const items = new Map((document?.items ?? []).map((item) => [item.name, item]));
    for (const name of run.replaced.keys()) this.#judgeReplaced(run, name, items.get(name), document, stderr);
    for (const [name, item] of items) {
      this.#judgeItem(run, name, item);
      if (['created', 'updated', 'unchanged'].includes(item.outcome))
        this.#common(clone, name).acknowledge(local.get(name));
    }
  }

  #endKilled({ clone, local, remote }) {
    this.counts.killed += 1;
    for (const [name, version] of local) if (version === remote.get(name)) this.#common(clone, name).equal.add(version);
  }

  /** A version that the clone did not know: it needs --force, or a mark, and for that a folder without a baseline. */
  #judgeReplaced(run, name, item, document, stderr) {
    const { clone, label, force, replaced } = run;
    // A killed push printed only its warning.
    const isMarked = document ? item?.overwrites === true : /overwrites? /.test(stderr);
    if (isMarked && !force) this.counts.overwrites += 1;
    if (force || (isMarked && this.#common(clone, name).acknowledged === undefined)) return;
    const { old, version } = replaced.get(name);
    this.problems.push(`${label}: LOST v${old} of ${name}, replaced by v${version} ${this.#describe(clone, name)}`);
  }

  #judgeItem({ clone, label, replaced, isShared, force }, name, { outcome, overwrites, adopted, error }) {
    if (adopted) this.counts.adopted += 1;
    if (overwrites && outcome === 'updated' && !force && !replaced.has(name))
      this.problems.push(`${label}: MARKED ${name} without a reason ${this.#describe(clone, name)}`);
    if (outcome !== 'conflict') return;
    this.counts.conflicts += 1;
    const version = this.remoteVersion(name);
    const isRollback = this.#common(clone, name).acknowledged !== undefined && this.#isRollback(clone, name, version);
    if (!isShared && !isRollback && this.#isKnown(clone, name, version))
      this.problems.push(`${label}: FALSE conflict on ${name}: ${error?.message} ${this.#describe(clone, name)}`);
  }

  /** A pull may change only folders that were not edited since, unless it was forced. */
  endPull({ clone, label, force, local }, { document }) {
    this.#runs.delete(clone.key);
    this.counts.pulls += 1;
    for (const { name, outcome } of document?.items ?? []) {
      if (outcome !== 'written' && outcome !== 'unchanged') continue;
      const [old, version] = [local.get(name), clone.version(name)];
      const common = this.#common(clone, name);
      const isKnown = common.has(old) || common.equal.has(old);
      if (old !== undefined && old !== version && !force && !isKnown)
        this.problems.push(`${label}: LOST the local v${old} of ${name}, replaced by v${version}`);
      common.acknowledge(version);
    }
  }
}
