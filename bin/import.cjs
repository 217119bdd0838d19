// The program runs in a vm.Script, where import() is not available without a warning; here it is.
'use strict';
module.exports = (name) => import(name);
