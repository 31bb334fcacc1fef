function log(text) { console.log(text) }
exports.warn = function (text) {
  log(text)
}
module.exports = { log }
