// Verifiers between the passes, and plans as text.
#include <algorithm>

#include "plan/plan.hpp"

namespace numloom::plan {
namespace {

std::string dims_text(const std::vector<int64_t>& v) { return shape_text(v); }

std::string at(const char* what, size_t i) { return std::string(what) + " " + std::to_string(i) + ": "; }

std::string verify_node(const Draft& d, const Node& n, size_t i) {
    if (n.out.view < 0 || n.out.view >= static_cast<ViewId>(d.views.size()))
        return at("node", i) + "no output";
    if (n.form == Form::Call) return "";
    size_t kept = n.shape.size();
    for (size_t k = 0; k < n.shape.size(); ++k) {
        kept -= n.form == Form::Reduce && (n.reduced >> k & 1);
        if (n.shape[k] == 1) return at("node", i) + "a dimension of extent 1";
    }
    if (n.out.strides.size() != kept) return at("node", i) + "output of wrong rank";
    for (int k = 0; k < n.inputs; ++k)
        if (n.in[k].view >= 0 && n.in[k].strides.size() != n.shape.size())
            return at("node", i) + "input of wrong rank";
    return "";
}

// Every dependence between nodes of different groups must point to an earlier group.
std::string verify_order(const Draft& d) {
    std::vector<int32_t> group_of(d.nodes.size(), -1);
    for (size_t g = 0; g < d.groups.size(); ++g)
        for (const Touch& t : d.groups[g].touches)
            group_of[static_cast<size_t>(t.node)] = static_cast<int32_t>(g);
    for (size_t i = 0; i < d.nodes.size(); ++i) {
        const Node& a = d.nodes[i];
        if (a.dead) continue;
        if (group_of[i] < 0) return at("node", i) + "in no group";
        for (size_t j = i + 1; j < d.nodes.size(); ++j) {
            const Node& b = d.nodes[j];
            if (b.dead || group_of[j] >= group_of[i]) continue;
            bool depends = d.relation(a.out.view, b.out.view) != Relation::Disjoint;
            for (int k = 0; k < b.inputs; ++k)
                depends |= b.in[k].view >= 0 && d.relation(a.out.view, b.in[k].view) != Relation::Disjoint;
            for (int k = 0; k < a.inputs; ++k)
                depends |= a.in[k].view >= 0 && d.relation(b.out.view, a.in[k].view) != Relation::Disjoint;
            if (depends)
                return at("node", j) + "moved before node " + std::to_string(i) + ", which it depends on";
        }
    }
    return "";
}

}  // namespace

std::string verify_draft(const Draft& d) {
    for (size_t i = 0; i < d.nodes.size(); ++i)
        if (std::string e = verify_node(d, d.nodes[i], i); !e.empty()) return e;
    for (size_t g = 0; g < d.groups.size(); ++g) {
        if (d.groups[g].main.empty()) return at("group", g) + "empty";
        for (int32_t i : d.groups[g].main)
            if (d.groups[g].form != Form::Call && d.nodes[static_cast<size_t>(i)].shape != d.groups[g].shape)
                return at("group", g) + "shapes differ";
    }
    return d.groups.empty() ? "" : verify_order(d);
}

std::string verify(const Plan& p) {
    for (size_t i = 0; i < p.steps.size(); ++i) {
        const Step& s = p.steps[i];
        if (s.call >= 0) continue;
        if (std::string e = kernel::verify(s.kernel); !e.empty()) return at("step", i) + e;
        if (s.accesses.size() != s.kernel.accesses.size() || s.constants.size() != s.kernel.constants.size())
            return at("step", i) + "arguments do not match the kernel";
        for (size_t a = 0; a < s.accesses.size(); ++a) {
            if (s.accesses[a].view >= static_cast<ViewId>(p.views.size()))
                return at("step", i) + "unknown view";
            if (s.kernel.accesses[a].shadow &&
                std::find(s.renamed.begin(), s.renamed.end(),
                          p.views[static_cast<size_t>(s.accesses[a].view)].slot) == s.renamed.end())
                return at("step", i) + "shadow store without renaming";
        }
    }
    return "";
}

std::string print(const Draft& d) {
    std::string s;
    for (size_t g = 0; g < d.groups.size(); ++g) {
        s += at("group", g) + dims_text(d.groups[g].shape) + " nodes";
        for (int32_t i : d.groups[g].main)
            s += " " + std::to_string(d.nodes[static_cast<size_t>(i)].instruction);
        for (int32_t i : d.groups[g].finish)
            s += " finish " + std::to_string(d.nodes[static_cast<size_t>(i)].instruction);
        s += "\n";
    }
    return s;
}

std::string print(const Plan& p) {
    std::string s;
    for (size_t i = 0; i < p.steps.size(); ++i) {
        const Step& step = p.steps[i];
        if (step.call >= 0) {
            s += at("step", i) + "library call\n";
            continue;
        }
        s += at("step", i) + "kernel, reads " + std::to_string(step.bytes_read) + " bytes, writes " +
             std::to_string(step.bytes_written) + " bytes";
        if (!step.renamed.empty())
            s += ", renames " + std::to_string(step.renamed.size()) + " storage (" +
                 std::to_string(step.rest.size()) + " copies of the rest)";
        if (!step.donations.empty())
            s += ", " + std::to_string(step.donations.size()) + " results in the memory of operands";
        s += "\n" + kernel::print(step.kernel);
    }
    return s;
}

}  // namespace numloom::plan
