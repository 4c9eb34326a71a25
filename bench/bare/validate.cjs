/** The yardstick of validate: reads the files of each folder below ROOT and parses the code. */
const { read, folders } = require('./folder.cjs');

for (const folder of folders(process.argv[2])) read(folder);
